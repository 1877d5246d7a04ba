#!/bin/bash
# Make dist/almanac.pyz, one file that python3 runs.
mkdir -p dist
python3 -m zipapp src/almanac --output dist/almanac.pyz
