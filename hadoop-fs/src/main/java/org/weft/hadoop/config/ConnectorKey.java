package org.weft.hadoop.config;

import org.weft.client.ClientOptions;
import org.weft.client.cluster.ClusterViewOptions;
import org.weft.client.volume.SessionOptions;

/** Every key of the configuration that the connector reads: the reference page is made of this. */
public enum ConnectorKey {
  ADDRESSES(
      "fs.weft.cluster.NAME.addresses",
      "",
      "Addresses `host:port,...` of SysMgr of the cluster that `weft://NAME/` names."),
  CLUSTER_ID(
      "fs.weft.cluster.NAME.id",
      "",
      "Id of that cluster; another one that replies there is refused."),
  BLOCK_BYTES(
      "fs.weft.block.size",
      "128m",
      "Block size reported for files, rounded up to whole stripes: the length of a split."),
  HOME_PREFIX("fs.weft.home.prefix", "/user", "Directory that holds the users' home directories."),
  CLIENT_NAME(
      "fs.weft.client.name",
      "hadoop",
      "Program name shown to clients that wait for a file that this client writes."),
  HOST(
      "fs.weft.host",
      "",
      "What OSDs of this machine say that their host is (`host` of their configuration): of copies of"
          + " the same bytes the one at such an OSD is read. Empty: the machine's own name."),
  CLIENT_KEEP(
      "fs.weft.client.keep",
      "60s",
      "How long the client that instances of one cluster and user share stays after the last of them"
          + " was closed, or collected as garbage."),
  PAGE_ENTRIES("fs.weft.list.page.entries", "1000", "Directory entries fetched by one request."),
  PARALLEL_REQUESTS(
      "fs.weft.parallel.requests",
      "32",
      "Requests under way at once for a recursive delete or a content summary."),
  CALLBACK_THREADS(
      "fs.weft.callback.threads",
      "16",
      "Threads on which the futures of vectored reads and `openFile` complete; made on demand."),
  WRITE_WINDOW(
      "fs.weft.write.window",
      mebibytes(ClientOptions.DEFAULT_WRITE_WINDOW_BYTES),
      "Bytes of one file on their way to the OSDs before its writer has to wait."),
  READ_AHEAD(
      "fs.weft.read.ahead",
      mebibytes(ClientOptions.DEFAULT_READ_AHEAD_BYTES),
      "Bytes of one stream fetched before they are asked for, when it is read in order."),
  CACHED_ENTRIES(
      "fs.weft.cache.entries",
      "0",
      "Nodes, names and listed entries of a volume that a client relies on without asking, as the"
          + " manager grants it: repeated status, open and list calls cost no message then, and see"
          + " the changes of others at once as ever. 0: it asks each time."),
  DATA_CACHE(
      "fs.weft.cache.data",
      mebibytes(ClientOptions.DEFAULT_DATA_CACHE_BYTES),
      "Memory of a client for bytes of files, where `fs.weft.cache.entries` is not 0: reads of up to"
          + " 64 KiB, and streams of files up to that, that come again cost no message then, and see"
          + " what others have written as ever. 0: none."),
  READ_POLICY(
      "fs.weft.read.policy",
      "adaptive",
      "How streams fetch ahead unless `openFile` says: `adaptive` finds it out, `sequential`,"
          + " `whole-file`, or `random`, which fetches nothing ahead."),
  VERIFY_PARITY(
      "fs.weft.read.verify-parity",
      "false",
      "Reads parity besides and delivers only what it confirms; a read then costs a whole range of"
          + " every unit of its stripes. `openFile` says it by `fs.option.weft.verify-parity`."),
  HEDGED_READS(
      "fs.weft.read.hedged",
      "true",
      "Rebuilds a unit that is late from the others instead of waiting for it."),
  HEDGED_LEAST(
      "fs.weft.read.hedged.least",
      "10ms",
      "No unit counts as late before, however fast the others are."),
  VECTORED_GAP(
      "fs.weft.vectored.read.min.seek.size",
      "64k",
      "Ranges of a vectored read that lie closer together than this are read as one."),
  VECTORED_MERGED(
      "fs.weft.vectored.read.max.merged.size",
      "4m",
      "The longest read that is made of several ranges; 0 merges none."),
  FILE_CHECKSUM(
      "fs.weft.file.checksum",
      Settings.COMPOSITE_CRC32C,
      "What `getFileChecksum` returns: `composite-crc32c`, as HDFS with"
          + " `dfs.checksum.combine.mode=COMPOSITE_CRC`, for which the file is read; or `none`."),
  CONNECT_TIMEOUT(
      "fs.weft.connect.timeout",
      ClusterViewOptions.DEFAULT_OPEN_TIMEOUT_MILLIS + "ms",
      "How long finding the cluster may take where no member of SysMgr replies."),
  ATTEMPT_TIMEOUT(
      "fs.weft.attempt.timeout",
      SessionOptions.DEFAULT_ATTEMPT_TIMEOUT_MILLIS + "ms",
      "How long one attempt at a request may take."),
  REQUEST_TIMEOUT(
      "fs.weft.request.timeout",
      Settings.REQUEST_MILLIS + "ms",
      "How long a request with all its attempts may take, and finding a cluster whose SysMgr has no"
          + " leader: jobs wait for a cluster that is about to serve again."),
  APPEND_WAIT(
      "fs.weft.append.wait",
      "3000ms",
      "How long an append waits for another client that writes the file before it fails. A writer"
          + " that was killed is found out meanwhile."),
  DATA_UNITS(
      "fs.weft.layout.data-units",
      "0",
      "Data units of a stripe of new files; 0: as their directory says."),
  PARITY_UNITS(
      "fs.weft.layout.parity-units",
      "0",
      "Parity units of a stripe of new files; counts beside data units that are not 0."),
  UNIT_BYTES(
      "fs.weft.layout.unit",
      "0",
      "Bytes of a stripe unit of new files, a multiple of 4k; 0: as their directory says.");

  private static final String NAME = "NAME";

  private final String key;
  private final String defaultText;
  private final String meaning;

  ConnectorKey(String key, String defaultText, String meaning) {
    this.key = key;
    this.defaultText = defaultText;
    this.meaning = meaning;
  }

  private static String mebibytes(int bytes) {
    return (bytes >> 20) + "m";
  }

  /** Its name in a configuration. */
  public String key() {
    return key;
  }

  /** The key for one logical cluster. */
  String keyOf(String cluster) {
    return key.replace(NAME, cluster);
  }

  String defaultText() {
    return defaultText;
  }

  /** The reference, as a table in Markdown. */
  static String reference() {
    StringBuilder table = new StringBuilder("| key | default | meaning |\n| --- | --- | --- |\n");
    for (ConnectorKey each : values()) {
      String shown = each.defaultText.isEmpty() ? "" : "`" + each.defaultText + "`";
      table.append("| `").append(each.key).append("` | ").append(shown).append(" | ");
      table.append(each.meaning).append(" |\n");
    }
    return table.toString();
  }
}
