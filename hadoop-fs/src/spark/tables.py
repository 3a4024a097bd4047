"""Writes partitioned Parquet, ORC and text to weft:// from several executors' processes, and reads them back.

Every value is a function of its row's id, so that what comes back can be computed anew. Ends with a
line that says what was verified, or with an exception.
"""

import sys

from pyspark.sql import SparkSession, functions as F

ROWS = 2_000_000
DAYS = 7
FILES_PER_DAY = 4


def rows(spark, first):
    return (
        spark.range(first, first + ROWS, 1, 8)
        .withColumn("day", F.col("id") % DAYS)
        .withColumn("text", F.sha2(F.col("id").cast("string"), 256))
        .withColumn("number", F.xxhash64("id"))
    )


def fingerprint(frame):
    """Counts and sums that change if any row is missing, doubled or altered."""
    return sorted(
        tuple(row)
        for row in frame.groupBy("day")
        .agg(
            F.count("*"),
            F.sum("id"),
            F.sum(F.col("number") % 1_000_003),
            F.sum(F.crc32("text")),
        )
        .collect()
    )


def require(condition, what):
    if not condition:
        raise AssertionError(what)


def require_refusal(spark, place):
    """Where the user may not write, the text names the user, the missing right and the place."""
    user = spark._jvm.org.apache.hadoop.security.UserGroupInformation.getCurrentUser().getShortUserName()
    try:
        spark.range(10).write.parquet(place)
    except Exception as failure:
        wanted = f"user {user} has no write permission on /"
        require(wanted in str(failure), f"not '{wanted}' but: {failure}")
        return user
    raise AssertionError(f"{user} may write to {place}")


def main(base):
    spark = SparkSession.builder.appName("weft tables").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    table = base + "/events"

    written = rows(spark, 0)
    written.repartition(DAYS * FILES_PER_DAY, "day", F.col("id") % FILES_PER_DAY).write.mode(
        "overwrite"
    ).partitionBy("day").parquet(table)
    require(fingerprint(spark.read.parquet(table)) == fingerprint(written), "first write differs")

    rows(spark, ROWS).write.mode("append").partitionBy("day").parquet(table)
    both = written.unionByName(rows(spark, ROWS))
    read = spark.read.parquet(table)
    require(fingerprint(read) == fingerprint(both), "append differs")

    one_day = read.where("day = 3 and id < 1000").select("id", "text").orderBy("id").collect()
    require([row.id for row in one_day] == list(range(3, 1000, DAYS)), "pruned read differs")

    read.where("day < 2").write.mode("overwrite").parquet(base + "/two-days")
    counted = spark.read.parquet(base + "/two-days").count()
    require(counted == both.where("day < 2").count(), "copy differs")

    orc = base + "/orc"
    written.write.mode("overwrite").partitionBy("day").orc(orc)
    require(fingerprint(spark.read.orc(orc)) == fingerprint(written), "ORC differs")
    few = spark.read.orc(orc).where("day = 3 and id < 1000").select("id", "number").orderBy("id")
    require([row.id for row in few.collect()] == list(range(3, 1000, DAYS)), "pruned ORC differs")

    spark.range(10).selectExpr("cast(id as string)").write.mode("overwrite").text(base + "/text")
    require(spark.read.text(base + "/text").count() == 10, "text differs")

    store = spark.sparkContext._jsc.sc().statusStore().executorList(True)
    workers = {
        store.apply(i).id(): store.apply(i).totalTasks()
        for i in range(store.size())
        if store.apply(i).id() != "driver"
    }
    require(len(workers) >= 2 and min(workers.values()) > 0, f"executors did not share: {workers}")

    path = spark._jvm.org.apache.hadoop.fs.Path(table)
    user = require_refusal(spark, base[: base.index("/user/")] + "/not-of-this-user")
    fs = path.getFileSystem(spark._jsc.hadoopConfiguration())
    require(fs.getFileStatus(path).getOwner() == user, "the table has another owner")
    summary = fs.getContentSummary(path)
    require(not fs.exists(spark._jvm.org.apache.hadoop.fs.Path(table + "/_temporary")), "left over")
    hadoop = spark._jvm.org.apache.hadoop.util.VersionInfo.getVersion()
    print(
        f"verified: Spark {spark.version} with Hadoop {hadoop} on {fs.getUri()} as {user}, {2 * ROWS} rows in"
        f" {summary.getFileCount()} files of {summary.getLength()} bytes,"
        f" tasks by executor {dict(sorted(workers.items()))}"
    )
    fs.delete(spark._jvm.org.apache.hadoop.fs.Path(base), True)
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1])
