# Reads a work tree through a git folder of our own. Arguments: mode, folder, name of a scratch folder, then
#   diff     base: prints the size and the place of the tree's patch on the commit `base`
#   state    prints HEAD, the tree that the folder holds, and the tree of HEAD
#   against  - archive: puts the archive's files in the folder's place, then prints as `diff` does, on what was there
set -eu
mode=$1 folder=$2 scratch=$3 base=${4-} archive=${5-} ignored=$6
unset ${!GIT_@}
room() { df -Pk "$1" 2>/dev/null | awk 'NR==2 {print $4}'; }
parent=/tmp
for other in /dev/shm /var/tmp; do
  [ -w "$other" ] && [ "$(room "$other")" -gt "$(( $(room $parent) * 2 ))" ] && parent=$other
done
own=$parent/$scratch
trap '[ $? = 0 ] || rm -rf "$own"' EXIT
mkdir -p -m 700 "$own"
cd "$folder"
export HOME="$own" XDG_CONFIG_HOME="$own" LC_ALL=C GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
export GIT_ATTR_NOSYSTEM=1 GIT_NO_REPLACE_OBJECTS=1 GIT_OPTIONAL_LOCKS=0 GIT_LITERAL_PATHSPECS=1 GIT_TERMINAL_PROMPT=0
objects=$folder/.git/objects
if [ "$mode" != diff ]; then
  head=$(git -c safe.directory='*' rev-parse HEAD)
  objects=$(git -c safe.directory='*' rev-parse --absolute-git-dir)/objects
  base=$head
fi
[ -d "$objects" ]
git init -q --bare --template= "$own/git"
export GIT_DIR="$own/git" GIT_WORK_TREE="$folder" GIT_INDEX_FILE="$own/index"
export GIT_ALTERNATE_OBJECT_DIRECTORIES="$objects"
printf '%s\n' "$ignored" > "$own/ignored"
for setting in fileMode=false autocrlf=false symlinks=true fsmonitor=false excludesFile="$own/ignored"; do
  git config "core.${setting%%=*}" "${setting#*=}"
done
git config advice.addEmbeddedRepo false
mkdir -p "$own/git/info"
echo '* !working-tree-encoding' > "$own/git/info/attributes"
index() {
  git read-tree "$1"
  git add -A --ignore-errors . 2>"$own/add" && return
  chmod -R u+rwX . 2>>"$own/add" || true
  find . -mindepth 2 -name .git -prune | while read -r nested; do
    git --git-dir="$nested" rev-parse -q --verify HEAD >/dev/null 2>&1 || rm -rf "$nested"
  done
  git add -A --ignore-errors . 2>>"$own/add" || cat "$own/add" >&2
}
index "$base"
if [ "$mode" = state ]; then
  echo "$head" "$(git write-tree)" "$(git rev-parse "$head^{tree}")"
  rm -rf "$own"
  exit
fi
if [ "$mode" = against ]; then
  base=$(git write-tree)
  find . -mindepth 1 -maxdepth 1 ! -name .git -exec rm -rf {} +
  tar -xzf "$archive"
  rm -f "$archive"
  index "$base"
fi
git diff --cached --binary --full-index --no-ext-diff --no-textconv --no-color --no-renames \
  --src-prefix=a/ --dst-prefix=b/ "$base" > "$own/patch"
echo "$(wc -c < "$own/patch")" "$own/patch"
