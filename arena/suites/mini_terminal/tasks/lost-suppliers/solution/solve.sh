#!/bin/bash
set -e
git clone --quiet --branch main kitchen.bundle kitchen
deleted=$(git -C kitchen log --diff-filter=D --format=%H -- suppliers.txt)
git -C kitchen show "$deleted^:suppliers.txt" >suppliers.txt
echo "$deleted" >deleted-by.txt
git -C kitchen log --format=%H -G '^stew 10.40$' --diff-filter=M -- menu.txt | tail -n 1 >raised-by.txt
