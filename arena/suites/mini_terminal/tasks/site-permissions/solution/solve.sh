#!/bin/bash
set -e
cd site
find public -type d -exec chmod 755 {} +
find public -type f -exec chmod 644 {} +
chmod 755 bin
for file in bin/*; do
  if [ "$(head -c 2 "$file")" = '#!' ]; then chmod 755 "$file"; else chmod 644 "$file"; fi
done
find secrets -type f -exec chmod 400 {} +
find secrets -type d -exec chmod 700 {} +
find spool -type f -exec chmod 660 {} +
find spool -type d -exec chmod 2770 {} +
