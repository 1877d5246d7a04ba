#!/bin/bash
# backup.sh SOURCE TARGET: copy every .conf file below SOURCE to the same place below TARGET, say how many there were.
source=$1
target=$2
count=0

if [ ! -d $source ]; then
  echo "backup: $source is not a folder"
  exit 0
fi

for file in $(find $source -name *.conf); do
  mkdir -p $target
  cp $file $target
  count=$((count + 1))
done

echo "$count files"
