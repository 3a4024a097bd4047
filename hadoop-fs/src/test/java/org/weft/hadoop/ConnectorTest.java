package org.weft.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.hadoop.HadoopIllegalArgumentException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.ContentSummary;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.fs.statistics.StreamStatisticNames;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.client.Blocking;
import org.weft.client.WeftInput;
import org.weft.client.WeftPath;
import org.weft.hadoop.config.ConnectorKey;
import org.weft.hadoop.config.LayoutOptions;
import org.weft.hadoop.config.ReadPolicies;
import org.weft.protocol.error.WeftException;

/** What the connector adds to Hadoop's suites, against the shared cluster. */
class ConnectorTest {
  private static final Path ROOT = new Path("/tmp/connector");
  private static final int UNIT_BYTES = 64 << 10;

  private final Configuration conf = new Configuration();
  private WeftHadoopFileSystem fs;

  @BeforeEach
  void connect() throws IOException {
    fs = open(conf);
    fs.delete(ROOT, true);
    fs.mkdirs(ROOT);
  }

  @AfterEach
  void disconnect() throws IOException {
    fs.close();
  }

  private static WeftHadoopFileSystem open(Configuration conf) throws IOException {
    return (WeftHadoopFileSystem)
        FileSystem.newInstance(URI.create(SharedCluster.get().uri()), conf);
  }

  private static Path path(String name) {
    return new Path(ROOT, name);
  }

  /** As in HDFS: Hadoop's trash, Hive and YARN make what is private below what is missing. */
  @Test
  void directoriesThatAreMissingAboveANewOneHaveItsMode() throws IOException {
    fs.mkdirs(path("private/a/b"), new FsPermission((short) 0700));
    assertEquals("700 700 700", modes("private", "private/a", "private/a/b"));
    fs.mkdirs(path("sealed/a"), new FsPermission((short) 0555));
    assertEquals("755 555", modes("sealed", "sealed/a"));
    fs.mkdirs(path("usual/a"));
    assertEquals("755 755", modes("usual", "usual/a"));
    fs.mkdirs(path("usual/sticky/a"), new FsPermission((short) 01777));
    assertEquals("755 755 1755", modes("usual", "usual/sticky", "usual/sticky/a"));
    fs.mkdirs(path("usual"), new FsPermission((short) 0700));
    assertEquals("755", modes("usual"), "one that exists stays as it is");
  }

  private String modes(String... names) throws IOException {
    List<String> modes = new ArrayList<>();
    for (String name : names) {
      modes.add(Integer.toOctalString(fs.getFileStatus(path(name)).getPermission().toShort()));
    }
    return String.join(" ", modes);
  }

  @Test
  void concatIsRefusedWithANextStep() throws IOException {
    Path target = write("joined", new byte[] {1, 2, 3});
    Path part = write("part", new byte[] {4, 5, 6});
    UnsupportedOperationException refused =
        assertThrows(
            UnsupportedOperationException.class, () -> fs.concat(target, new Path[] {part}));
    for (String word : List.of(target.toString(), "one layout", "-appendToFile", "distcp")) {
      assertTrue(refused.getMessage().contains(word), refused.getMessage());
    }
    assertFalse(fs.hasPathCapability(target, "fs.capability.paths.concat"));
    assertEquals(3, fs.getFileStatus(target).getLen());
    assertEquals(3, fs.getFileStatus(part).getLen());
    // distcp asks so whether large files can be copied in parts.
    assertThrows(UnsupportedOperationException.class, () -> fs.concat(null, null));
  }

  private static byte[] bytes(int count) {
    byte[] bytes = new byte[count];
    for (int index = 0; index < count; index++) {
      bytes[index] = (byte) (index * 31 + index / 251);
    }
    return bytes;
  }

  private Path write(String name, byte[] content) throws IOException {
    try (FSDataOutputStream out = fs.create(path(name))) {
      out.write(content);
    }
    return path(name);
  }

  private static byte[] read(FileSystem from, Path file) throws IOException {
    try (FSDataInputStream in = from.open(file)) {
      return in.readAllBytes();
    }
  }

  @Test
  void fileContextFindsTheFileSystemWithoutAnyKey() throws IOException {
    FileContext context =
        FileContext.getFileContext(URI.create(SharedCluster.get().uri()), new Configuration());
    assertEquals(WeftFs.class, context.getDefaultFileSystem().getClass());
    assertTrue(context.util().exists(ROOT));
  }

  @Test
  void openFileReadsByWhateverPolicyItNames() throws Exception {
    byte[] content = bytes(20 * UNIT_BYTES + 5);
    Path file = write("policies", content);
    for (String policy : List.of("adaptive", "random", "sequential", "whole-file", "parquet")) {
      try (FSDataInputStream in =
          fs.openFile(file)
              .must("fs.option.openfile.read.policy", policy)
              .must(ReadPolicies.VERIFY_PARITY, policy.equals("whole-file"))
              .opt("fs.option.openfile.split.end", 7L * UNIT_BYTES)
              .build()
              .get()) {
        byte[] record = new byte[4096];
        for (int at = 19 * UNIT_BYTES; at >= 0; at -= UNIT_BYTES) {
          in.seek(at);
          in.readFully(record);
          assertArrayEquals(java.util.Arrays.copyOfRange(content, at, at + 4096), record);
        }
        in.seek(0);
        assertArrayEquals(content, in.readAllBytes());
      }
    }
  }

  @Test
  void aLogicalNameLeadsToTheAddressesOfTheConfiguration() throws IOException {
    String contact = URI.create(SharedCluster.get().uri()).getAuthority();
    conf.set("fs.weft.cluster.blue.addresses", "127.0.0.1:1, " + contact);
    Path file = write("named", bytes(10));
    try (FileSystem named = FileSystem.newInstance(URI.create("weft://blue/"), conf)) {
      FileStatus status = named.getFileStatus(file);
      assertEquals(new Path("weft://blue" + file), status.getPath());
      assertArrayEquals(bytes(10), read(named, status.getPath()));
    }
  }

  @Test
  void qualifiedPathOfANamedClusterLeadsThereAgain() throws IOException {
    String contact = URI.create(SharedCluster.get().uri()).getAuthority();
    conf.set("fs.weft.cluster.blue.addresses", contact);
    Path file = write("qualified", bytes(10));
    FileContext named = FileContext.getFileContext(URI.create("weft://blue/"), conf);
    Path qualified = named.makeQualified(file);
    assertEquals(new Path("weft://blue" + file), qualified);
    // As YARN does with its staging directory: a context, and a file system, of what was qualified.
    FileContext again = FileContext.getFileContext(qualified.toUri(), conf);
    assertEquals(qualified, again.getFileStatus(qualified).getPath());
    assertTrue(again.util().exists(qualified));
    try (FileSystem same = FileSystem.newInstance(qualified.toUri(), conf)) {
      assertArrayEquals(bytes(10), read(same, qualified));
    }
    String contacts = contact + "," + contact;
    FileContext several = FileContext.getFileContext(URI.create("weft://" + contacts + "/"), conf);
    assertEquals(new Path("weft", contacts, file.toString()), several.makeQualified(file));
  }

  @Test
  void aNameWithoutAddressesSaysWhichKeyIsMissing() {
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> FileSystem.newInstance(URI.create("weft://red_blue/"), conf));
    assertTrue(
        refused.getMessage().contains("fs.weft.cluster.red_blue.addresses"), refused::getMessage);
  }

  @Test
  void aBuilderChoosesTheLayout() throws IOException {
    try (FSDataOutputStream out =
        fs.createFile(path("wide"))
            .must(LayoutOptions.DATA_UNITS, 3)
            .must(LayoutOptions.PARITY_UNITS, 2)
            .opt(LayoutOptions.UNIT, "16k")
            .build()) {
      out.write(bytes(200_000));
    }
    WeftFileStatus status = (WeftFileStatus) fs.getFileStatus(path("wide"));
    assertEquals(3, status.map().orElseThrow().layout().dataUnits());
    assertEquals(2, status.map().orElseThrow().layout().parityUnits());
    assertEquals(16 << 10, status.map().orElseThrow().layout().unitBytes());
    assertEquals(0, status.getBlockSize() % (3 * (16 << 10)));
    assertTrue(status.isErasureCoded());
    assertArrayEquals(bytes(200_000), read(fs, path("wide")));
  }

  @Test
  void aBuilderRefusesWhatItDoesNotKnow() {
    assertThrows(
        IllegalArgumentException.class,
        () -> fs.createFile(path("none")).must("fs.option.weft.colour", "red").build());
    assertThrows(
        IllegalArgumentException.class,
        () -> fs.createFile(path("none")).must(LayoutOptions.PARITY_UNITS, 2).build());
  }

  @Test
  void blocksNameTheHostsOfTheirStripes() throws IOException {
    conf.set(ConnectorKey.BLOCK_BYTES.key(), "512k");
    try (WeftHadoopFileSystem small = open(conf)) {
      write("blocks", bytes(2_000_000));
      WeftFileStatus status = (WeftFileStatus) small.getFileStatus(path("blocks"));
      BlockLocation[] blocks = small.getFileBlockLocations(status, 0, status.getLen());
      assertEquals(
          (status.getLen() + status.getBlockSize() - 1) / status.getBlockSize(), blocks.length);
      long next = 0;
      for (BlockLocation block : blocks) {
        assertEquals(next, block.getOffset());
        next += block.getLength();
        assertEquals(status.map().orElseThrow().layout().width(), block.getHosts().length);
        assertEquals(block.getHosts().length, block.getNames().length);
        assertTrue(block.getHosts()[0].startsWith("host-"), block.getHosts()[0]);
      }
      assertEquals(status.getLen(), next);
      assertEquals(1, small.getFileBlockLocations(status, 600_000, 1).length);
      assertEquals(0, small.getFileBlockLocations(status, status.getLen(), 1).length);
    }
  }

  @Test
  void aSmallFileIsWhereItsCopiesAre() throws IOException {
    FileStatus status = fs.getFileStatus(write("small", bytes(100)));
    BlockLocation[] blocks = fs.getFileBlockLocations(status, 0, 100);
    int parityUnits = ((WeftFileStatus) status).map().orElseThrow().layout().parityUnits();
    assertEquals(1 + parityUnits, blocks[0].getHosts().length);
  }

  @Test
  void flushedBytesAreReadBeforeTheFileIsClosed() throws IOException {
    try (WeftHadoopFileSystem other = open(conf);
        FSDataOutputStream out = fs.create(path("log"))) {
      out.write(bytes(100_000));
      out.hflush();
      assertArrayEquals(bytes(100_000), read(other, path("log")));
      assertFalse(other.isFileClosed(path("log")));
      out.write(bytes(5));
      out.hsync();
      assertEquals(100_005, other.getFileStatus(path("log")).getLen());
    }
    assertTrue(fs.isFileClosed(path("log")));
  }

  /** Bytes that were fetched before another client cut the file are not given as the file's. */
  @Test
  void sequentialReadStopsAtAnEndThatMovedBack() throws IOException {
    byte[] content = bytes(32 * UNIT_BYTES);
    write("shrinks", content);
    WeftInput input =
        Blocking.await(
            fs.connection().files().asynchronous().open(WeftPath.of("/tmp/connector/shrinks")));
    try (WeftHadoopFileSystem other = open(conf);
        WeftHadoopInputStream in =
            new WeftHadoopInputStream(input, fs.connection(), fs.settings(), null)) {
      byte[] part = new byte[4096];
      while (in.getPos() < 16 * UNIT_BYTES + part.length) {
        assertTrue(in.read(part) > 0);
      }
      assertTrue(other.truncate(path("shrinks"), 8 * UNIT_BYTES));
      assertEquals(8L * UNIT_BYTES, Blocking.await(input.refresh()));
      assertEquals(0, in.available());
      assertThrows(EOFException.class, () -> in.read(part));
      assertThrows(EOFException.class, () -> in.read(ByteBuffer.wrap(part)));
      in.seek(7L * UNIT_BYTES);
      int count = in.read(part);
      assertTrue(count > 0);
      assertArrayEquals(
          Arrays.copyOfRange(content, 7 * UNIT_BYTES, 7 * UNIT_BYTES + count),
          Arrays.copyOf(part, count));
    }
  }

  /**
   * A read that had to ask for the file again is given more; the position must stay a legal one.
   */
  @Test
  void readerMaySeekAsFarAsAGrownFileReads() throws IOException {
    try (WeftHadoopFileSystem other = open(conf);
        FSDataOutputStream out = other.create(path("grows"))) {
      out.write(bytes(100));
      out.hflush();
      WeftInput input =
          Blocking.await(
              fs.connection().files().asynchronous().open(WeftPath.of("/tmp/connector/grows")));
      try (WeftHadoopInputStream in =
          new WeftHadoopInputStream(input, fs.connection(), fs.settings(), null)) {
        out.write(bytes(150), 100, 50);
        out.hflush();
        in.seek(100);
        assertEquals(-1, in.read(), "it was opened before");
        assertEquals(150L, Blocking.await(input.refresh()));
        byte[] rest = new byte[100];
        assertEquals(50, in.read(rest, 0, 100));
        assertArrayEquals(Arrays.copyOfRange(bytes(150), 100, 150), Arrays.copyOf(rest, 50));
        in.seek(in.getPos());
        assertEquals(0, in.available());
        in.readFully(120, rest, 0, 30);
        in.seek(120);
        assertEquals(30, in.available());
        assertThrows(EOFException.class, () -> in.seek(151));
      }
    }
  }

  @Test
  void closingTheFileSystemClosesTheFilesBeingWritten() throws IOException {
    FSDataOutputStream out;
    try (WeftHadoopFileSystem other = open(conf)) {
      out = other.create(path("left"));
      out.write(bytes(300_000));
    }
    assertArrayEquals(bytes(300_000), read(fs, path("left")));
    assertThrows(IOException.class, () -> out.write(1));
  }

  @Test
  void closedFileSystemRefusesCalls() throws IOException {
    write("there", bytes(10));
    WeftHadoopFileSystem other = open(conf);
    FSDataInputStream in = other.open(path("there"));
    other.close();
    assertTrue(assertThrows(IOException.class, in::read).getMessage().contains("closed"));
    IOException refused = assertThrows(IOException.class, () -> other.getFileStatus(ROOT));
    assertTrue(refused.getMessage().contains("Filesystem closed"), refused::getMessage);
  }

  @Test
  void recoverLeaseKeepsTheWritersFlushedBytes() throws Exception {
    try (WeftHadoopFileSystem writer = open(conf)) {
      FSDataOutputStream out = writer.create(path("taken"));
      out.write(bytes(150_000));
      out.hflush();
      awaitRecovered(path("taken"));
      assertTrue(fs.isFileClosed(path("taken")));
      assertThrows(
          IOException.class,
          () -> {
            out.write(bytes(400_000));
            out.close();
          });
    }
    assertArrayEquals(bytes(150_000), read(fs, path("taken")));
  }

  @Test
  void replacementOfAWrittenFileFailsItsWriter() throws IOException {
    try (WeftHadoopFileSystem writer = open(conf)) {
      FSDataOutputStream out = writer.create(path("replaced"));
      out.write(bytes(150_000));
      out.hflush();
      write("replaced", bytes(7));
      IOException refused =
          assertThrows(
              IOException.class,
              () -> {
                out.write(bytes(400_000));
                out.close();
              });
      assertTrue(refused.getMessage().contains("was replaced at"), refused::getMessage);
    }
    assertArrayEquals(bytes(7), read(fs, path("replaced")));
  }

  @Test
  void anAppendToAFileThatIsBeingWrittenNamesItsWriter() throws IOException {
    Configuration hasty = new Configuration(conf);
    hasty.set(ConnectorKey.APPEND_WAIT.key(), "100ms");
    try (WeftHadoopFileSystem other = open(hasty);
        FSDataOutputStream out = fs.create(path("busy"))) {
      out.write(bytes(10));
      out.hflush();
      IOException refused = assertThrows(IOException.class, () -> other.append(path("busy")));
      assertTrue(refused.getMessage().contains("is being written by"), refused::getMessage);
    }
    assertArrayEquals(bytes(10), read(fs, path("busy")));
  }

  private void awaitRecovered(Path file) throws Exception {
    for (int tries = 0; !fs.recoverLease(file); tries++) {
      assertTrue(tries < 600, "the lease was not recovered");
      Object monitor = new Object();
      synchronized (monitor) {
        monitor.wait(100);
      }
    }
  }

  @Test
  void truncateCutsAndDoesNotGrow() throws IOException {
    Path file = write("cut", bytes(300_000));
    assertTrue(fs.truncate(file, 100_001));
    byte[] left = new byte[100_001];
    System.arraycopy(bytes(300_000), 0, left, 0, left.length);
    assertArrayEquals(left, read(fs, file));
    assertThrows(HadoopIllegalArgumentException.class, () -> fs.truncate(file, 100_002));
    assertThrows(FileNotFoundException.class, () -> fs.truncate(path("none"), 0));
  }

  @Test
  void extendedAttributesComeAndGo() throws IOException {
    Path file = write("attributes", bytes(1));
    fs.setXAttr(file, "user.a", new byte[] {1, 2});
    fs.setXAttr(file, "user.b", null);
    assertArrayEquals(new byte[] {1, 2}, fs.getXAttr(file, "user.a"));
    assertEquals(List.of("user.a", "user.b"), fs.listXAttrs(file));
    assertEquals(new TreeSet<>(List.of("user.b")), fs.getXAttrs(file, List.of("user.b")).keySet());
    assertThrows(
        IOException.class,
        () -> fs.setXAttr(file, "user.a", new byte[0], EnumSet.of(XAttrSetFlag.CREATE)));
    assertThrows(
        IOException.class,
        () -> fs.setXAttr(file, "user.c", new byte[0], EnumSet.of(XAttrSetFlag.REPLACE)));
    fs.removeXAttr(file, "user.a");
    assertThrows(IOException.class, () -> fs.getXAttr(file, "user.a"));
    assertThrows(IOException.class, () -> fs.removeXAttr(file, "user.a"));
    assertEquals(Map.of("user.b", 0), lengths(fs.getXAttrs(file)));
  }

  private static Map<String, Integer> lengths(Map<String, byte[]> values) {
    Map<String, Integer> lengths = new java.util.TreeMap<>();
    values.forEach((name, value) -> lengths.put(name, value.length));
    return lengths;
  }

  @Test
  void anEntityTagChangesWithTheFile() throws IOException {
    Path file = write("tagged", bytes(10));
    String first = ((WeftFileStatus) fs.getFileStatus(file)).getEtag();
    assertEquals(first, ((WeftFileStatus) fs.getFileStatus(file)).getEtag());
    write("tagged", bytes(10));
    assertNotEquals(first, ((WeftFileStatus) fs.getFileStatus(file)).getEtag());
  }

  @Test
  void failuresKeepTheTextAndTheRefusalOfTheCluster() throws IOException {
    Path file = write("plain", bytes(1));
    FileNotFoundException missing =
        assertThrows(FileNotFoundException.class, () -> fs.open(path("none")));
    assertTrue(missing.getMessage().contains("/tmp/connector/none"), missing::getMessage);
    assertEquals(WeftException.class, missing.getCause().getClass());
    assertThrows(
        ParentNotDirectoryException.class, () -> fs.create(new Path(file, "below")).close());
    assertThrows(FileNotFoundException.class, () -> fs.getFileStatus(new Path(file, "below")));
    fs.mkdirs(path("full/below"));
    PathIsNotEmptyDirectoryException full =
        assertThrows(PathIsNotEmptyDirectoryException.class, () -> fs.delete(path("full"), false));
    assertTrue(full.getMessage().contains("1 entries"), full::getMessage);
  }

  @Test
  void otherUsersAreBoundByPermissions() throws Exception {
    Path secret = write("secret", bytes(5));
    fs.setPermission(secret, new FsPermission((short) 0640));
    fs.setOwner(secret, "owner", "people");
    try (FileSystem theirs = as("member", "people")) {
      assertArrayEquals(bytes(5), read(theirs, secret));
      theirs.access(secret, FsAction.READ);
      assertThrows(AccessControlException.class, () -> theirs.access(secret, FsAction.WRITE));
      AccessControlException refused =
          assertThrows(AccessControlException.class, () -> theirs.append(secret).close());
      assertTrue(refused.getMessage().contains("member"), refused::getMessage);
    }
    try (FileSystem strange = as("stranger", "others")) {
      assertThrows(AccessControlException.class, () -> read(strange, secret));
      assertEquals(new Path("/user/stranger"), withoutScheme(strange.getHomeDirectory()));
    }
    fs.access(secret, FsAction.ALL);
  }

  private static Path withoutScheme(Path path) {
    return Path.getPathWithoutSchemeAndAuthority(path);
  }

  private FileSystem as(String user, String group) throws Exception {
    return UserGroupInformation.createUserForTesting(user, new String[] {group})
        .doAs((PrivilegedExceptionAction<FileSystem>) () -> open(conf));
  }

  @Test
  void aContentSummaryCountsAtAnyDepthAndKnowsTheParity() throws IOException {
    conf.setInt(ConnectorKey.PAGE_ENTRIES.key(), 3);
    for (int directory = 0; directory < 4; directory++) {
      for (int file = 0; file < 5; file++) {
        write("tree/" + directory + "/deep/" + file, bytes(1_000));
      }
    }
    try (WeftHadoopFileSystem paged = open(conf)) {
      ContentSummary summary = paged.getContentSummary(path("tree"));
      assertEquals(20, summary.getFileCount());
      assertEquals(9, summary.getDirectoryCount());
      assertEquals(20_000, summary.getLength());
      assertTrue(summary.getSpaceConsumed() >= 2 * summary.getLength());
      assertTrue(paged.delete(path("tree"), true));
      assertFalse(paged.exists(path("tree")));
    }
  }

  @Test
  void rangesThatLieCloseTogetherAreReadAsOne() throws Exception {
    byte[] content = bytes(4 * UNIT_BYTES);
    Path file = write("ranges", content);
    List<FileRange> ranges = new ArrayList<>();
    for (int index = 0; index < 10; index++) {
      ranges.add(FileRange.createFileRange(index * 1_000L, 100));
    }
    ranges.add(FileRange.createFileRange(3 * UNIT_BYTES, 1_000));
    try (FSDataInputStream in = fs.open(file)) {
      in.readVectored(ranges, ByteBuffer::allocate);
      for (FileRange range : ranges) {
        byte[] got = new byte[range.getLength()];
        range.getData().get().get(got);
        byte[] wanted = new byte[range.getLength()];
        System.arraycopy(content, (int) range.getOffset(), wanted, 0, wanted.length);
        assertArrayEquals(wanted, got);
      }
      Map<String, Long> counters = in.getIOStatistics().counters();
      assertEquals(11, counters.get(StreamStatisticNames.STREAM_READ_VECTORED_INCOMING_RANGES));
      assertEquals(2, counters.get(StreamStatisticNames.STREAM_READ_VECTORED_COMBINED_RANGES));
      assertEquals(2_000, counters.get(StreamStatisticNames.STREAM_READ_BYTES));
    }
    assertEquals(
        2_000, fs.getIOStatistics().counters().get(StreamStatisticNames.STREAM_READ_BYTES));
  }

  @Test
  void streamsReadAheadAsConfigured() throws IOException {
    byte[] content = bytes(20 * UNIT_BYTES + 5);
    Path file = write("ahead", content);
    for (Long bytes : Arrays.asList(0L, 1_000L, (long) UNIT_BYTES, Long.MAX_VALUE, null)) {
      try (FSDataInputStream in = fs.open(file)) {
        assertTrue(in.hasCapability(StreamCapabilities.READAHEAD));
        in.setReadahead(bytes);
        assertArrayEquals(content, in.readAllBytes());
        in.seek(7);
        in.unbuffer();
        assertEquals(content[7], (byte) in.read());
      }
    }
  }

  @Test
  void readAheadThatMakesNoSenseIsRefused() throws IOException {
    FSDataInputStream in = fs.open(write("refused", bytes(10)));
    assertThrows(IllegalArgumentException.class, () -> in.setReadahead(-1L));
    in.close();
    assertThrows(IOException.class, () -> in.setReadahead(1L));
  }

  @Test
  void hedgedReadsAreCountedAmongTheStatistics() throws IOException {
    assertArrayEquals(bytes(UNIT_BYTES), read(fs, write("hedged", bytes(UNIT_BYTES))));
    Map<String, Long> counters = fs.getIOStatistics().counters();
    long started = counters.get("weft_hedged_reads_started");
    assertTrue(started >= counters.get("weft_hedged_reads_won"), counters::toString);
    assertTrue(counters.containsKey("weft_hedged_reads_dropped"), counters::toString);
  }

  @Test
  void namesMayHoldColonsAndWhatOtherTextsWouldMean() throws IOException {
    for (String name : List.of("a:b", "white space", "100%", "ümläut", "x#y?z")) {
      Path file = new Path(fs.makeQualified(ROOT), new Path(null, null, name));
      try (FSDataOutputStream out = fs.create(file)) {
        out.write(name.getBytes(StandardCharsets.UTF_8));
      }
      assertArrayEquals(name.getBytes(StandardCharsets.UTF_8), read(fs, file));
      FileStatus listed = fs.listStatus(ROOT)[0];
      assertEquals(name, listed.getPath().getName());
      assertTrue(fs.delete(listed.getPath(), false));
    }
  }

  @Test
  void appendingCreatesWhatIsNotThere() throws IOException {
    for (int round = 0; round < 3; round++) {
      try (FSDataOutputStream out =
          fs.create(
              path("grown"),
              FsPermission.getFileDefault(),
              EnumSet.of(CreateFlag.CREATE, CreateFlag.APPEND),
              4096,
              (short) 1,
              1L << 20,
              null,
              null)) {
        assertEquals(round * 70_000L, out.getPos());
        out.write(bytes(70_000));
      }
    }
    assertEquals(210_000, fs.getFileStatus(path("grown")).getLen());
  }
}
