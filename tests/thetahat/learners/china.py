"""The worked example of manning2008: four training documents, one test document.

Columns: Chinese, Beijing, Shanghai, Macao, Tokyo, Japan. Class 1 is "about China".
"""

from __future__ import annotations

DOCUMENTS = [
    [2.0, 1.0, 0.0, 0.0, 0.0, 0.0],
    [2.0, 0.0, 1.0, 0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0, 1.0, 0.0, 0.0],
    [1.0, 0.0, 0.0, 0.0, 1.0, 1.0],
]
ABOUT_CHINA = [1, 1, 1, 0]
TEST = [[3.0, 0.0, 0.0, 0.0, 1.0, 1.0]]
