#!/bin/bash
set -e
python3 - <<'END'
import collections
import json
import re

form = re.compile(r'(\S+) .*"\S+ (\S+) \S+" (\d+) (\d+) \d+$')
rows = [found.groups() for line in open("access.log") if (found := form.match(line))]
errors = [path.split("?")[0] for _, path, status, _ in rows if status.startswith("5")]
report = {
    "requests": len(rows),
    "server_errors": len(errors),
    "bytes": sum(int(sent) for *_, sent in rows),
    "busiest_client": collections.Counter(row[0] for row in rows).most_common(1)[0][0],
    "errors_by_path": collections.Counter(errors),
}
json.dump(report, open("report.json", "w"))
END
