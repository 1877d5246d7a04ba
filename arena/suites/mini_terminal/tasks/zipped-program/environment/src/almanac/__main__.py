import sys

from .sayings import saying

if __name__ == "__main__":
    print(saying(sys.argv[1]))
