"""Writes, changes and reads back an Iceberg table on weft://, by a catalog of directories and renames.

Every value is a function of its row's id, so that what comes back can be computed anew. Ends with a
line that says what was verified, or with an exception.
"""

import sys
from concurrent.futures import ThreadPoolExecutor

from pyspark.sql import SparkSession, functions as F

ROWS = 400_000
WRITERS = 4
APPENDS = 5
FEW = 1_000
TABLE = "weft.db.events"


def rows(spark, first, count):
    return (
        spark.range(first, first + count, 1, 4)
        .withColumn("day", F.col("id") % 7)
        .withColumn("text", F.sha2(F.col("id").cast("string"), 256))
    )


def fingerprint(frame):
    """Counts and sums that change if any row is missing, doubled or altered."""
    return sorted(
        tuple(row)
        for row in frame.groupBy("day")
        .agg(F.count("*"), F.sum("id"), F.sum(F.crc32("text")))
        .collect()
    )


def require(condition, what):
    if not condition:
        raise AssertionError(what)


def append_at_once(spark):
    """Appends by several writers, whose commits meet: each renames onto the next version."""

    def write(writer):
        for turn in range(APPENDS):
            first = ROWS + (writer * APPENDS + turn) * FEW
            rows(spark, first, FEW).writeTo(TABLE).append()

    with ThreadPoolExecutor(WRITERS) as pool:
        for done in [pool.submit(write, writer) for writer in range(WRITERS)]:
            done.result()


def main(warehouse):
    spark = (
        SparkSession.builder.appName("weft iceberg")
        .config("spark.sql.catalog.weft.warehouse", warehouse)
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    spark.sql(
        f"CREATE TABLE {TABLE} (id BIGINT, day BIGINT, text STRING) USING iceberg"
        " PARTITIONED BY (day) TBLPROPERTIES ('commit.retry.num-retries' = '50')"
    )
    rows(spark, 0, ROWS).writeTo(TABLE).append()
    expected = rows(spark, 0, ROWS)
    require(fingerprint(spark.table(TABLE)) == fingerprint(expected), "first write differs")
    first_snapshot = spark.sql(f"SELECT snapshot_id FROM {TABLE}.snapshots").first()[0]

    append_at_once(spark)
    count = ROWS + WRITERS * APPENDS * FEW
    expected = rows(spark, 0, count)
    require(fingerprint(spark.table(TABLE)) == fingerprint(expected), "racing appends differ")

    spark.sql(f"DELETE FROM {TABLE} WHERE day = 2")
    spark.sql(f"UPDATE {TABLE} SET text = 'changed' WHERE day = 3 AND id < 10000")
    changed = F.when((F.col("day") == 3) & (F.col("id") < 10_000), "changed").otherwise(F.col("text"))
    expected = expected.where("day <> 2").withColumn("text", changed)
    require(fingerprint(spark.table(TABLE)) == fingerprint(expected), "delete and update differ")

    rows(spark, count, FEW).where("day = 2").createOrReplaceTempView("news")
    spark.sql(
        f"MERGE INTO {TABLE} t USING news n ON t.id = n.id WHEN NOT MATCHED THEN INSERT *"
    )
    expected = expected.unionByName(rows(spark, count, FEW).where("day = 2"))
    require(fingerprint(spark.table(TABLE)) == fingerprint(expected), "merge differs")

    before = spark.read.option("snapshot-id", first_snapshot).table(TABLE)
    require(fingerprint(before) == fingerprint(rows(spark, 0, ROWS)), "old snapshot differs")

    spark.sql(f"ALTER TABLE {TABLE} ADD COLUMN more INT")
    spark.sql("CALL weft.system.rewrite_data_files(table => 'db.events')").collect()
    require(fingerprint(spark.table(TABLE)) == fingerprint(expected), "compaction differs")
    spark.sql(
        "CALL weft.system.expire_snapshots(table => 'db.events',"
        " older_than => TIMESTAMP '2100-01-01 00:00:00', retain_last => 1)"
    ).collect()
    require(fingerprint(spark.table(TABLE)) == fingerprint(expected), "expiry differs")

    orc = "weft.db.orc"
    expected.writeTo(orc).using("iceberg").tableProperty("write.format.default", "orc").create()
    require(fingerprint(spark.table(orc)) == fingerprint(expected), "ORC differs")

    files = spark.sql(f"SELECT count(*), sum(file_size_in_bytes) FROM {TABLE}.files").first()
    hadoop = spark._jvm.org.apache.hadoop.util.VersionInfo.getVersion()
    print(
        f"verified: Iceberg on Spark {spark.version} with Hadoop {hadoop}, {expected.count()} rows in"
        f" {files[0]} files of {files[1]} bytes after {WRITERS * APPENDS} racing appends"
    )
    spark.sql(f"DROP TABLE {TABLE} PURGE")
    spark.sql(f"DROP TABLE {orc} PURGE")
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1])
