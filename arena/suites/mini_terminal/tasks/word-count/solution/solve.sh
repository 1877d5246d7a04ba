#!/bin/bash
set -e
cat texts/*.txt | tr 'A-Z' 'a-z' | LC_ALL=C tr -cs "a-z'" '\n' | grep -E '^.{4,}$' | LC_ALL=C sort | uniq -c |
  LC_ALL=C sort -k1,1nr -k2,2 | head -n 7 | sed 's/^ *//' >words.txt
