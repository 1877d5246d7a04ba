#!/bin/bash
if timeout 45 python3 -I /tests/test_outputs.py; then reward=1; else reward=0; fi
echo "$reward" >/logs/verifier/reward.txt
