package org.weft.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ClusterStorageCapacityExceededException;
import org.apache.hadoop.fs.ContentSummary;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsShell;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.QuotaUsage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Quotas as Hadoop's programs meet them, against a real cluster. */
class QuotaTest {
  private static final Path ROOT = new Path("/tmp/quotas");
  private static final Path LIMITED = new Path(ROOT, "limited");
  private static final int MIB = 1 << 20;

  private final Configuration conf = new Configuration();
  private FileSystem fs;

  @BeforeEach
  void connect() throws IOException {
    fs = FileSystem.newInstance(URI.create(SharedCluster.get().uri()), conf);
    fs.delete(ROOT, true);
    fs.mkdirs(LIMITED);
  }

  @AfterEach
  void disconnect() throws IOException {
    fs.delete(ROOT, true);
    fs.close();
  }

  private void write(Path path, int bytes) throws IOException {
    try (FSDataOutputStream out = fs.create(path)) {
      out.write(new byte[bytes]);
    }
  }

  @Test
  void quotaErrorNamesPathLimitAndNextStep() throws IOException {
    fs.setQuota(LIMITED, Long.MAX_VALUE, 4 * MIB);
    write(new Path(LIMITED, "a"), 3 * MIB);
    IOException refused =
        assertThrows(IOException.class, () -> write(new Path(LIMITED, "b"), 2 * MIB));
    String text = refused.getMessage();
    assertTrue(text.contains("/tmp/quotas/limited"), text);
    assertTrue(text.contains("of 4194304 bytes") && text.contains("weft quota set"), text);
    assertTrue(fs.getContentSummary(LIMITED).getLength() <= 4 * MIB);
    fs.delete(new Path(LIMITED, "a"), false);
    write(new Path(LIMITED, "b"), 4 * MIB);
    assertEquals(0, fs.getStatus(LIMITED).getRemaining());
    assertEquals(4 * MIB, fs.getStatus(LIMITED).getUsed());
  }

  @Test
  void namesBeyondAQuotaAndRenamesIntoAFullTreeAreRefused() throws IOException {
    fs.setQuota(LIMITED, 3, MIB);
    write(new Path(LIMITED, "a"), 10);
    write(new Path(LIMITED, "b"), 10);
    assertThrows(
        ClusterStorageCapacityExceededException.class, () -> fs.mkdirs(new Path(LIMITED, "c")));
    fs.delete(new Path(LIMITED, "b"), false);
    Path large = new Path(ROOT, "large");
    write(large, 2 * MIB);
    assertThrows(
        ClusterStorageCapacityExceededException.class,
        () -> fs.rename(large, new Path(LIMITED, "large")));
    assertEquals(2 * MIB, fs.getFileStatus(large).getLen());
    Path small = new Path(ROOT, "small");
    write(small, 1_000);
    assertTrue(fs.rename(small, new Path(LIMITED, "small")));
    QuotaUsage usage = fs.getQuotaUsage(LIMITED);
    assertEquals(1_010, usage.getSpaceConsumed());
    assertEquals(3, usage.getFileAndDirectoryCount());
  }

  @Test
  void countShowsQuotas() throws Exception {
    fs.setQuota(LIMITED, 10, 4 * MIB);
    write(new Path(LIMITED, "a"), MIB);
    ContentSummary summary = fs.getContentSummary(LIMITED);
    assertEquals(10, summary.getQuota());
    assertEquals(4 * MIB, summary.getSpaceQuota());
    assertEquals(MIB, summary.getSpaceConsumed());
    PrintStream before = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      FsShell shell = new FsShell(conf);
      assertEquals(
          0, shell.run(new String[] {"-count", "-q", SharedCluster.get().uri() + LIMITED}));
    } finally {
      System.setOut(before);
    }
    String line = printed.toString(StandardCharsets.UTF_8);
    Pattern columns = Pattern.compile("\\s*10\\s+8\\s+4194304\\s+3145728\\s+1\\s+1\\s+1048576.*");
    assertTrue(columns.matcher(line.strip()).matches(), line);
    fs.setQuota(LIMITED, -1, -1);
    assertEquals(-1, fs.getContentSummary(LIMITED).getQuota());
  }
}
