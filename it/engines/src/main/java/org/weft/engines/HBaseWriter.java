package org.weft.engines;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.regionserver.MultiVersionConcurrencyControl;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WAL;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALFactory;
import org.apache.hadoop.hbase.wal.WALKeyImpl;

/** Appends edits to a write-ahead log, syncs each and then prints its row, until it is killed. */
final class HBaseWriter implements Job {
  private static final int THREADS = 4;
  private static final int ROLL_EVERY = 1_000;
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] VALUE = new byte[200];

  private final AtomicLong next = new AtomicLong();
  private final MultiVersionConcurrencyControl versions = new MultiVersionConcurrencyControl();

  @Override
  public String run(Run run, List<String> arguments) throws Exception {
    Configuration conf = HBaseWalJob.configuration(run);
    RegionInfo region = RegionInfoBuilder.newBuilder(TableName.valueOf("rows")).build();
    WAL log = new WALFactory(conf, HBaseWalJob.SERVER).getWAL(region);
    ExecutorService pool = Executors.newFixedThreadPool(THREADS);
    List<Future<?>> ends = new ArrayList<>();
    for (int thread = 0; thread < THREADS; thread++) {
      ends.add(
          pool.submit(
              () -> {
                append(log, region);
                return null;
              }));
    }
    for (Future<?> end : ends) {
      end.get();
    }
    throw new IllegalStateException("writers do not end by themselves");
  }

  private void append(WAL log, RegionInfo region) throws Exception {
    TreeMap<byte[], Integer> scopes = new TreeMap<>(Bytes.BYTES_COMPARATOR);
    scopes.put(FAMILY, 0);
    while (true) {
      long number = next.getAndIncrement();
      String row = String.format("row-%08d", number);
      WALKeyImpl key =
          new WALKeyImpl(
              region.getEncodedNameAsBytes(),
              region.getTable(),
              System.currentTimeMillis(),
              versions,
              scopes);
      KeyValue cell = new KeyValue(Bytes.toBytes(row), FAMILY, FAMILY, number, VALUE);
      long transaction = log.appendData(region, key, new WALEdit().add(cell));
      log.sync(transaction);
      versions.complete(key.getWriteEntry());
      // One write, so that what is acknowledged is on this machine before the next edit.
      System.out.write((row + "\n").getBytes(StandardCharsets.US_ASCII));
      System.out.flush();
      if (number % ROLL_EVERY == ROLL_EVERY - 1) {
        log.rollWriter(true);
      }
    }
  }
}
