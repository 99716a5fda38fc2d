#!/bin/sh
# The browser tests need Chromium: find it, or install Debian's where that is allowed.
# Always succeeds and says what it did; without a browser those tests skip themselves, and fail where CI is set.

for name in chromium chromium-browser google-chrome; do
    if command -v "$name" >/dev/null; then
        echo "browser tests: found $(command -v "$name")"
        exit 0
    fi
done

if ! command -v apt-get >/dev/null; then
    echo "browser tests: no chromium, and no apt-get to install it with"
elif [ "$(id -u)" -ne 0 ]; then
    echo "browser tests: no chromium, and only root may install it (apt-get install chromium)"
elif log=$({ apt-get update -qq && apt-get install -qq --no-install-recommends chromium; } 2>&1 </dev/null); then
    echo "browser tests: installed Debian's chromium"
else
    echo "browser tests: apt-get could not install chromium:"
    echo "$log" | tail -n 3
fi
