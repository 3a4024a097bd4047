package org.weft.engines;

import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hbase.util.RecoverLeaseFSUtils;
import org.apache.hadoop.hbase.wal.AbstractFSWALProvider;
import org.apache.hadoop.hbase.wal.WAL;
import org.apache.hadoop.hbase.wal.WALFactory;
import org.apache.hadoop.hbase.wal.WALStreamReader;

/**
 * HBase's write-ahead log: a process appends and syncs until it is killed, then its log is taken
 * from it and read, as a master does. Every edit whose sync returned has to be there.
 */
final class HBaseWalJob implements Job {
  /** The name under which the process keeps its log. */
  static final String SERVER = "server.example.org,16020,1";

  private static final int EDITS_PER_ROUND = 300;
  private static final int MIN_ROUNDS = 5;

  @Override
  public String run(Run run, List<String> arguments) throws Exception {
    Configuration conf = configuration(run);
    Set<String> acknowledged;
    try (Children children = new Children(run)) {
      Children.Child writer = children.job("hbase-writer");
      run.amid(
          "edits are appended and synced",
          MIN_ROUNDS,
          round -> awaitMore(writer, acknowledged(writer).size() + EDITS_PER_ROUND));
      run.step("the process is killed, and its log is taken from it");
      writer.kill();
      acknowledged = acknowledged(writer);
    }
    List<String> read = new ArrayList<>();
    FileSystem fs = CommonFSUtils.getWALFileSystem(conf);
    Run.require(
        RecoverLeaseFSUtils.isLeaseRecoverable(fs), "HBase does not find recoverLease in " + fs);
    Path dir =
        new Path(
            CommonFSUtils.getWALRootDir(conf), AbstractFSWALProvider.getWALDirectoryName(SERVER));
    FileStatus[] logs = fs.listStatus(dir);
    Run.require(logs.length > 1, "the log was never rolled: " + dir);
    for (FileStatus log : logs) {
      RecoverLeaseFSUtils.recoverFileLease(fs, log.getPath(), conf, null);
      Run.require(
          ((org.apache.hadoop.fs.LeaseRecoverable) fs).isFileClosed(log.getPath()),
          log.getPath() + " is not closed");
      read(conf, fs, log.getPath(), read);
    }
    Set<String> once = new HashSet<>(read);
    Run.requireEquals(once.size(), read.size(), "edits, each once");
    Set<String> lost = new HashSet<>(acknowledged);
    lost.removeAll(once);
    Run.requireEquals(Set.of(), lost, "edits that were synced and are not in the log");
    return acknowledged.size()
        + " edits were synced by a process that was killed, all are in its "
        + logs.length
        + " logs, with "
        + (read.size() - acknowledged.size())
        + " that were not";
  }

  /** As the page says. */
  static Configuration configuration(Run run) throws IOException {
    Configuration conf = HBaseConfiguration.create();
    run.page("docs/engines/hbase.md").properties(0).forEach(conf::set);
    conf.set(Run.ADDRESSES, run.contacts());
    return conf;
  }

  private static Set<String> acknowledged(Children.Child writer) throws IOException {
    String printed = Files.readString(writer.output());
    // The last line may be half written.
    int end = printed.lastIndexOf('\n') + 1;
    Set<String> rows = new HashSet<>();
    printed.substring(0, end).lines().filter(line -> line.startsWith("row-")).forEach(rows::add);
    return rows;
  }

  private static void awaitMore(Children.Child writer, int count) throws Exception {
    writer.until(
        () -> "fewer than " + count + " edits are synced",
        () -> acknowledged(writer).size() >= count);
  }

  private static void read(Configuration conf, FileSystem fs, Path log, List<String> rows)
      throws IOException {
    if (fs.getFileStatus(log).getLen() == 0) {
      // Killed before the header was flushed.
      return;
    }
    try (WALStreamReader reader = WALFactory.createStreamReader(fs, log, conf)) {
      for (WAL.Entry entry = reader.next(); entry != null; entry = reader.next()) {
        for (Cell cell : entry.getEdit().getCells()) {
          rows.add(Bytes.toString(CellUtil.cloneRow(cell)));
        }
      }
    } catch (EOFException e) {
      // The last edit was cut short by the kill; HBase's own splitter ends here, too.
      System.out.println(log.getName() + " ends within an edit: " + e.getMessage());
    }
  }
}
