#!/bin/bash
set -e
python3 - <<'END'
import csv
import json

held = {}
with open("orders.csv", encoding="utf-8-sig", newline="") as file:
    for row in csv.DictReader(file, delimiter=";"):
        day, month, year = row["date"].split(".")
        cents = int(row["amount"].replace(".", "").replace(",", ""))
        if row["currency"] == "EUR":
            held.setdefault(row["customer"], []).append((f"{year}-{month}-{day}", int(row["order"]), cents))
customers = [
    {
        "customer": name,
        "orders": [number for _, number, _ in sorted(orders)],
        "total_cents": sum(cents for *_, cents in orders),
        "first": min(orders)[0],
    }
    for name, orders in sorted(held.items())
]
json.dump(customers, open("customers.json", "w"))
END
