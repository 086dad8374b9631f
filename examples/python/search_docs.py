"""Index a folder, and print an answer within a token budget for the prompt of a language model.

Run it in the root of the repository: python examples/python/search_docs.py
"""

import tempfile

import chunkwright

with tempfile.TemporaryDirectory() as directory:
    # Keep the directory between runs, and only changed pages are indexed again.
    chunkwright.update_index(directory, {"kettle": "docs/examples"})
    index = chunkwright.Index(directory)

    question = "How do I store a token?"
    print("Answer the question from these sources, and cite their ids.\n")
    print(index.search(question, format="markdown", max_tokens=120))
    print("Question:", question)

# Output:
# Answer the question from these sources, and cite their ids.
#
# > Kettle guide › Use › Store a secret
# kettle:guide.md#store-a-secret · guide.md:19-25
#
# ### Store a secret
#
# ```sh
# kettle put github-token
# ```
#
# Kettle reads the secret from the terminal, so it is not in the history of your shell.
#
# Not shown: kettle:guide.md#read-a-secret (37), kettle:front-matter.md#afterwards (17), kettle:front-matter.md#with-a-script (68)
#
# Question: How do I store a token?
