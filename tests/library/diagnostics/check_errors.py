#!/usr/bin/env python3
"""usage: check_errors.py SOURCE COMPILER [FLAG]...

The compiler must say of the source the errors that its comments announce, and no others. If it
stops at a header that is not there, the first error is the one that is announced.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

announced = re.findall(r"// error: (.+)", Path(sys.argv[1]).read_text(encoding="utf-8"))
said = subprocess.run([*sys.argv[2:], "-fsyntax-only", sys.argv[1]], text=True, check=False,
                      capture_output=True, env={**os.environ, "LC_ALL": "C"}).stderr
errors = re.findall(r"(?<!fatal )error: (.+)", said)
found = [text for error in errors for text in set(announced) if text in error]
if sorted(announced) != sorted(found) or len(errors) != len(found):
    sys.exit(f"announced: {announced}\nthe compiler says:\n{said}")
