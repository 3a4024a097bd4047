package org.weft.nfs.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.client.WeftPath;
import org.weft.nfs.daemon.NfsDaemon;
import org.weft.nfs.model.Nfs3Client;
import org.weft.nfs.model.Nfs3Client.Result;

/**
 * A mount crosses from one volume of a real cluster into another, and back: each volume has its own
 * fsid, and no name or link reaches from one into the other (docs/nfs.md, RFC 1813 sections 2.6,
 * 3.3.14 and 3.3.15).
 */
class MountedVolumesTest {
  private static final int FSSTAT = 18;
  private static final byte[] TEXT = "in the other volume".getBytes(StandardCharsets.UTF_8);

  @TempDir static Path data;

  private static TestCluster cluster;
  private static NfsDaemon one;
  private static NfsDaemon two;

  /** Number of the second volume. */
  private static long number;

  private Nfs3Client client;
  private byte[] top;
  private byte[] projects;

  /** The root directory of the second volume. */
  private byte[] second;

  @BeforeAll
  static void start() throws Exception {
    cluster = new TestCluster(data);
    cluster.client().files().mkdir(WeftPath.of("/projects"), 0777);
    number = cluster.makeVolume("/projects/other");
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

  @BeforeEach
  void walk() {
    client = cluster.connect(one.address(), 0, 0);
    top = client.mount("/").handle;
    projects = client.lookup(top, "projects").handle;
    Result found = client.lookup(projects, "other");
    assertEquals(Nfs3Client.OK, found.status);
    second = found.handle;
  }

  private byte[] file(byte[] directory, String name) {
    Result made = client.create(directory, name, true, Nfs3Client.Set.mode(0644));
    assertEquals(Nfs3Client.OK, made.status, name);
    assertEquals(TEXT.length, client.write(made.handle, 0, Nfs3Client.FILE_SYNC, TEXT).count);
    return made.handle;
  }

  @Test
  void lookUpCrossesIntoTheOtherVolumeAndBack() {
    Result found = client.lookup(projects, "other");
    assertEquals(2, found.node.type());
    assertEquals(number, found.node.fsid(), "the fsid is the volume's number");
    assertNotEquals(found.directory.fsid(), found.node.fsid());
    assertEquals(number, client.getAttr(second).node.fsid());
    assertEquals(found.node.fileId(), client.getAttr(second).node.fileId());

    Result above = client.lookup(second, "..");
    assertEquals(Nfs3Client.OK, above.status);
    assertArrayEquals(projects, above.handle);
    assertEquals(client.getAttr(projects).node, above.node);
    assertEquals(number, above.directory.fsid());
    assertArrayEquals(second, client.lookup(second, ".").handle);

    byte[] inside = client.mkDir(second, "inside", Nfs3Client.Set.mode(0755)).handle;
    Result back = client.lookup(inside, "..");
    assertArrayEquals(second, back.handle);
    assertEquals(number, client.getAttr(inside).node.fsid());
  }

  private static Map<String, Nfs3Client.Entry> byName(Result listed) {
    assertEquals(Nfs3Client.OK, listed.status);
    assertTrue(listed.end);
    return listed.entries.stream()
        .collect(Collectors.toMap(Nfs3Client.Entry::name, Function.identity()));
  }

  @Test
  void listingsTellOfTheVolumeThatIsMounted() {
    client.mkDir(projects, "beside", Nfs3Client.Set.mode(0755));
    Map<String, Nfs3Client.Entry> plain = byName(client.readDir(projects, 0, 0, 1 << 16));
    Map<String, Nfs3Client.Entry> plus = byName(client.readDirPlus(projects, 0, 1 << 16, 1 << 16));
    assertEquals(plain.keySet(), plus.keySet());
    assertTrue(plus.keySet().containsAll(List.of(".", "..", "beside", "other")), plus::toString);
    for (String name : plain.keySet()) {
      assertEquals(plain.get(name).fileId(), plus.get(name).fileId(), name);
      assertEquals(plain.get(name).cookie(), plus.get(name).cookie(), name);
    }
    // Attributes and handle may be left out, and be asked for; what is told has to be right.
    Nfs3Client.Entry mounted = plus.get("other");
    if (mounted.attributes() != null) {
      assertEquals(client.getAttr(second).node, mounted.attributes());
      assertEquals(number, mounted.attributes().fsid());
    }
    if (mounted.handle() != null) {
      assertArrayEquals(second, mounted.handle());
    }
    assertEquals(
        client.getAttr(projects).node.fsid(), plus.get("beside").attributes().fsid(), "beside it");
  }

  @Test
  void aListingOfTheMountedRootStaysInItsVolume() {
    client.mkDir(second, "listed", Nfs3Client.Set.mode(0755));
    Map<String, Nfs3Client.Entry> plain = byName(client.readDir(second, 0, 0, 1 << 16));
    Map<String, Nfs3Client.Entry> plus = byName(client.readDirPlus(second, 0, 1 << 16, 1 << 16));
    assertEquals(plain.keySet(), plus.keySet());
    long own = client.getAttr(second).node.fileId();
    for (Map<String, Nfs3Client.Entry> each : List.of(plain, plus)) {
      assertEquals(own, each.get(".").fileId());
      // As at the root of any file system that a kernel has mounted; LOOKUP of it leads above.
      assertEquals(own, each.get("..").fileId());
    }
    Nfs3Client.Entry listed = plus.get("listed");
    assertEquals(number, listed.attributes().fsid());
    assertEquals(listed.fileId(), listed.attributes().fileId());
  }

  @Test
  void namesAndLinksStayInTheirVolume() {
    byte[] outside = file(projects, "outside");
    byte[] inside = file(second, "inside-file");
    Result intoIt = client.rename(projects, "outside", second, "moved");
    Result outOfIt = client.rename(second, "inside-file", projects, "moved");
    assertEquals(Nfs3Client.XDEV, intoIt.status);
    assertEquals(Nfs3Client.XDEV, outOfIt.status);
    assertEquals(Nfs3Client.XDEV, client.link(outside, second, "link").status);
    assertEquals(Nfs3Client.XDEV, client.link(inside, projects, "link").status);
    assertEquals(Nfs3Client.NOENT, client.lookup(second, "moved").status);
    assertEquals(Nfs3Client.NOENT, client.lookup(projects, "moved").status);
    assertEquals(1, client.getAttr(outside).node.links());
    assertEquals(1, client.getAttr(inside).node.links());

    // The place where a volume is mounted is no directory to be moved or removed.
    assertEquals(
        List.of(
            Nfs3Client.XDEV, Nfs3Client.XDEV, Nfs3Client.XDEV, Nfs3Client.XDEV, Nfs3Client.EXIST),
        List.of(
            client.rename(projects, "other", top, "elsewhere").status,
            client.rename(projects, "outside", projects, "other").status,
            client.rmDir(projects, "other").status,
            client.remove(projects, "other").status,
            client.mkDir(projects, "other", Nfs3Client.Set.mode(0755)).status));
    assertArrayEquals(second, client.lookup(projects, "other").handle);
    assertEquals(Nfs3Client.OK, client.rename(second, "inside-file", second, "renamed").status);
    assertEquals(Nfs3Client.OK, client.link(inside, second, "linked").status);
  }

  @Test
  void eachVolumeTellsItsSpace() {
    Result ofFirst = client.numbers(FSSTAT, top);
    Result ofSecond = client.numbers(FSSTAT, second);
    for (Result each : List.of(ofFirst, ofSecond)) {
      assertEquals(Nfs3Client.OK, each.status);
      long total = each.numbers.get(0);
      long free = each.numbers.get(1);
      assertTrue(total > 0 && free > 0 && free <= total, each.numbers::toString);
    }
    assertEquals(client.getAttr(top).node.fsid(), ofFirst.node.fsid());
    assertEquals(number, ofSecond.node.fsid());
  }

  @Test
  void handlesOfAnotherVolumeWorkAtEveryGateway() throws Exception {
    byte[] file = file(second, "kept");
    Nfs3Client other = cluster.connect(two.address(), 0, 0);
    Result seen = other.read(file, 0, 100);
    assertArrayEquals(TEXT, seen.data);
    assertEquals(number, seen.node.fsid());
    assertArrayEquals(second, other.lookup(projects, "other").handle);

    NfsDaemon first = cluster.gateway();
    Nfs3Client before = cluster.connect(first.address(), 0, 0);
    assertEquals(Nfs3Client.OK, before.getAttr(file).status);
    first.close();
    NfsDaemon again = cluster.gatewayAt(first.address());
    try {
      Nfs3Client after = cluster.connect(again.address(), 0, 0);
      assertArrayEquals(TEXT, after.read(file, 0, 100).data);
      assertArrayEquals(projects, after.lookup(second, "..").handle);
      assertEquals(client.getAttr(second).node, after.getAttr(second).node);
    } finally {
      again.close();
    }
  }

  @Test
  void aDirectoryOfTheOtherVolumeCanBeMounted() {
    byte[] inside = client.mkDir(second, "mounted", Nfs3Client.Set.mode(0755)).handle;
    assertArrayEquals(second, client.mount("/projects/other").handle);
    assertArrayEquals(inside, client.mount("/projects/other/mounted").handle);
    assertEquals(Nfs3Client.NOENT, client.mount("/projects/other/nowhere").status);
    assertEquals(number, client.getAttr(client.mount("/projects/other").handle).node.fsid());
  }

  @Test
  void anExportMayBeginInTheOtherVolume() {
    client.mkDir(second, "exported", Nfs3Client.Set.mode(0755));
    cluster.exportOpen("/projects/other/exported");
    cluster.awaitInForce(one, two);
    for (NfsDaemon gateway : List.of(one, two)) {
      Nfs3Client mounting = cluster.connect(gateway.address(), 0, 0);
      byte[] exported = mounting.mount("/projects/other/exported").handle;
      assertEquals(number, mounting.getAttr(exported).node.fsid());
      // An export's root is its own parent.
      assertArrayEquals(exported, mounting.lookup(exported, "..").handle);
    }
  }
}
