package org.weft.nfs.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.CreateOptions;
import org.weft.client.WeftPath;
import org.weft.nfs.daemon.NfsDaemon;
import org.weft.nfs.model.Nfs3Client;
import org.weft.nfs.model.Nfs3Client.Result;

/**
 * A gateway answers for files that are granted to it for reading, and fetches ahead where a file is
 * read in order (P 6.5c.8). The next call sees what was changed elsewhere and acknowledged.
 */
class ReadGrantsTest {
  private static final int MEBIBYTE = 1 << 20;
  private static final int BYTES = 24 * MEBIBYTE + 4_711;
  private static final int ANN = 4_001;

  @TempDir static Path data;

  private static TestCluster cluster;
  private static NfsDaemon one;
  private static NfsDaemon two;
  private static int files;

  private final byte[] content = new byte[BYTES];
  private Nfs3Client reader;
  private Nfs3Client writer;
  private byte[] file;

  @BeforeAll
  static void start() throws Exception {
    cluster = new TestCluster(data);
    cluster.exportOpen("/");
    one = cluster.gateway();
    two = cluster.gateway();
  }

  @AfterAll
  static void stop() throws Exception {
    one.close();
    two.close();
    cluster.close();
  }

  /** By a client of Weft, which closes it: no client writes it when it is read. */
  private void makeFile(long seed) throws IOException {
    new Random(seed).nextBytes(content);
    String name = "granted-" + files++;
    try (var out =
        cluster.client().files().create(WeftPath.of("/" + name), CreateOptions.newFile())) {
      out.write(content);
    }
    reader = cluster.connect(one.address(), 0, 0);
    writer = cluster.connect(two.address(), 0, 0);
    file = reader.lookup(reader.mount("/").handle, name).handle;
  }

  private void read(int from, int to) {
    for (int at = from; at < to; at += MEBIBYTE) {
      Result seen = reader.read(file, at, Math.min(MEBIBYTE, to - at));
      assertEquals(Nfs3Client.OK, seen.status);
      assertArrayEquals(
          Arrays.copyOfRange(content, at, at + seen.count), seen.data, "bytes from " + at);
    }
  }

  private void write(Nfs3Client by, Random random, int at, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    assertEquals(Nfs3Client.OK, by.write(file, at, Nfs3Client.FILE_SYNC, bytes).status);
    System.arraycopy(bytes, 0, content, at, length);
  }

  /** The file keeps its length, and what comes next was fetched ahead. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void bytesOverwrittenThroughAnotherGatewayAreReadInOrder(long seed) throws Exception {
    makeFile(seed);
    Random random = new Random(seed);
    int at = 0;
    while (at + 6 * MEBIBYTE < BYTES) {
      read(at, at + 4 * MEBIBYTE);
      at += 4 * MEBIBYTE;
      write(writer, random, at + random.nextInt(MEBIBYTE), 1 + random.nextInt(MEBIBYTE));
      read(at, at + 2 * MEBIBYTE);
      at += 2 * MEBIBYTE;
    }
    read(at, BYTES);
    read(0, BYTES);
  }

  @Test
  void bytesOverwrittenThroughTheSameGatewayAreReadAtOnce() throws Exception {
    makeFile(4);
    Random random = new Random(4);
    read(0, 6 * MEBIBYTE);
    write(reader, random, 6 * MEBIBYTE + 77, 300_000);
    read(6 * MEBIBYTE, 12 * MEBIBYTE);
    read(0, BYTES);
  }

  @Test
  void bytesTruncatedByAWeftClientAreNotRead() throws Exception {
    makeFile(5);
    read(0, 6 * MEBIBYTE);
    Nfs3Client.Set cut = Nfs3Client.Set.size(7L * MEBIBYTE);
    assertEquals(Nfs3Client.OK, writer.setAttr(file, cut, null).status);
    Result last = reader.read(file, 6L * MEBIBYTE, MEBIBYTE);
    assertTrue(last.end);
    assertEquals(7L * MEBIBYTE, last.node.size());
    assertEquals(0, reader.read(file, 7L * MEBIBYTE, MEBIBYTE).count);
    assertEquals(7L * MEBIBYTE, reader.getAttr(file).node.size());
  }

  @Test
  void revokedRightsDoNotHoldForTheNextRead() throws Exception {
    makeFile(6);
    Nfs3Client ann = cluster.connect(one.address(), ANN, ANN);
    assertEquals(Nfs3Client.OK, writer.setAttr(file, Nfs3Client.Set.mode(0644), null).status);
    for (int round = 0; round < 3; round++) {
      assertEquals(Nfs3Client.OK, ann.read(file, 0, 4_096).status);
      assertEquals(Nfs3Client.OK, reader.read(file, 0, 4_096).status);
    }
    assertEquals(Nfs3Client.OK, writer.setAttr(file, Nfs3Client.Set.mode(0600), null).status);
    assertEquals(Nfs3Client.ACCES, ann.read(file, 0, 4_096).status);
    assertEquals(Nfs3Client.OK, reader.read(file, 0, 4_096).status);
    assertEquals(0600, reader.getAttr(file).node.mode() & 07777);
  }

  /** The gateway checks them by what it was granted while it writes the file (P 6.5c.8.22). */
  @Test
  void revokedRightsDoNotHoldForTheNextStableWrite() throws Exception {
    makeFile(8);
    Nfs3Client ann = cluster.connect(one.address(), ANN, ANN);
    Random random = new Random(8);
    for (int round = 0; round < 3; round++) {
      assertEquals(Nfs3Client.OK, writer.setAttr(file, Nfs3Client.Set.mode(0666), null).status);
      for (int write = 0; write < 5; write++) {
        write(ann, random, random.nextInt(BYTES - 4_096), 4_096);
      }
      assertEquals(Nfs3Client.OK, writer.setAttr(file, Nfs3Client.Set.mode(0644), null).status);
      byte[] bytes = new byte[4_096];
      assertEquals(
          Nfs3Client.ACCES, ann.write(file, 0, Nfs3Client.FILE_SYNC, bytes).status, "WRITE");
      assertEquals(Nfs3Client.ACCES, ann.commit(file, 0, 0).status, "COMMIT");
      write(reader, random, 0, 4_096);
    }
    read(0, BYTES);
  }

  /** What the manager is told of a stable write is answered with what it says of the file. */
  @Test
  void aStableWriteAnswersWithTheTimesThatOthersSee() throws Exception {
    makeFile(9);
    Random random = new Random(9);
    long before = writer.getAttr(file).node.mtime();
    for (int write = 0; write < 6; write++) {
      byte[] bytes = new byte[4_096];
      random.nextBytes(bytes);
      Result written = reader.write(file, (long) write * 100_000, Nfs3Client.FILE_SYNC, bytes);
      assertEquals(Nfs3Client.FILE_SYNC, written.committed);
      long told = written.wcc.after().mtime();
      assertTrue(told > before, "mtime grows with each overwrite");
      assertEquals(told, writer.getAttr(file).node.mtime());
      assertEquals(BYTES, written.wcc.after().size());
      before = told;
    }
    assertEquals(
        BYTES + 10L,
        reader.write(file, BYTES, Nfs3Client.FILE_SYNC, new byte[10]).wcc.after().size());
    assertEquals(BYTES + 10L, writer.getAttr(file).node.size());
  }

  @Test
  void aFileThatLostItsNameElsewhereHasNone() throws Exception {
    makeFile(7);
    read(0, 6 * MEBIBYTE);
    byte[] root = writer.mount("/").handle;
    assertEquals(Nfs3Client.OK, writer.remove(root, "granted-" + (files - 1)).status);
    // The reader has it open still.
    Result seen = reader.read(file, 6L * MEBIBYTE, MEBIBYTE);
    assertTrue(seen.status == Nfs3Client.STALE || seen.node.links() == 0, "it has a name still");
    Result node = reader.getAttr(file);
    assertTrue(node.status == Nfs3Client.STALE || node.node.links() == 0, "it has a name still");
  }
}
