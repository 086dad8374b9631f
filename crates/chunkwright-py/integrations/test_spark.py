"""Spark produces the same chunks on two executors."""

import os

from chunkwright.spark import chunk_frame
from workers import OPTIONS, TABLE, counter_that_signs, expected, processes, rows


def test_executors_produce_the_same_chunks(spark):
    pages = spark.createDataFrame(TABLE).repartition(8)
    chunks = chunk_frame(pages, **OPTIONS)
    assert rows(chunks.toArrow()) == expected(**OPTIONS)


def test_several_processes_share_the_work(spark, tmp_path):
    pages = spark.createDataFrame(TABLE.rename_columns(["name", "body"])).repartition(8)
    chunks = chunk_frame(pages, "body", "name", tree="wiki", max=100, tokenizer=counter_that_signs(tmp_path))
    made = rows(chunks.toArrow())
    assert len(processes(tmp_path) - {os.getpid()}) > 1
    assert made == expected(tree="wiki", max=100, tokenizer=lambda text: len(text.split()))


def test_an_empty_frame_yields_no_chunks(spark):
    chunks = chunk_frame(spark.createDataFrame(TABLE).limit(0), **OPTIONS)
    assert (chunks.count(), chunks.columns) == (0, list(expected(**OPTIONS)[0]))


def test_sql_can_query_the_chunks(spark):
    chunk_frame(spark.createDataFrame(TABLE), max=100).createOrReplaceTempView("chunks")
    [row] = spark.sql("select count(*) as chunks, max(tokens) as largest from chunks").collect()
    made = expected(max=100)
    assert (row.chunks, row.largest) == (len(made), max(chunk["tokens"] for chunk in made))
