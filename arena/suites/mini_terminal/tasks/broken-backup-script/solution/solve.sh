#!/bin/bash
set -e
cat >backup.sh <<'END'
#!/bin/bash
# backup.sh SOURCE TARGET: copy every .conf file below SOURCE to the same place below TARGET, say how many there were.
source=$1
target=$2
count=0

if [ ! -d "$source" ]; then
  echo "backup: $source is not a folder" >&2
  exit 2
fi

while IFS= read -r -d '' file; do
  place=$target/${file#"$source"/}
  mkdir -p "$(dirname "$place")"
  cp "$file" "$place"
  count=$((count + 1))
done < <(find "$source" -type f -name '*.conf' -print0)

echo "$count files"
END
