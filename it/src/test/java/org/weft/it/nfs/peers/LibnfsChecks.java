package org.weft.it.nfs.peers;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.weft.client.FileStatus;
import org.weft.client.WeftFiles;
import org.weft.client.WeftPath;

/** Programs of libnfs, a client in C: they mount, read, write and list. */
final class LibnfsChecks {
  /** None, less than a block, odd ones, more than a stripe and more than one transfer. */
  private static final List<Integer> SIZES =
      List.of(0, 1, 4_095, 65_537, 5_000_003, (33 << 20) + 7);

  private static final int MANY_NAMES = 300;

  /** Mode, links, user, group, length, name. */
  private static final Pattern LISTED =
      Pattern.compile("(?m)^(\\S{10})\\s+(\\d+)\\s+\\d+\\s+\\d+\\s+(\\d+) (.*)$");

  private final PeerCluster cluster;

  LibnfsChecks(PeerCluster cluster) {
    this.cluster = cluster;
  }

  List<PeerCheck> all() {
    return List.of(
        PeerCheck.of("nfs-cp", "copies out what the Java API wrote", this::copiesOut),
        PeerCheck.of("nfs-cp", "copies in what the Java API then reads", this::copiesIn),
        PeerCheck.of("nfs-cat", "prints what weft fs put wrote", this::prints),
        PeerCheck.of("nfs-cp", "copies in what weft fs get then reads", this::copiesInForGet),
        PeerCheck.of("nfs-ls", "lists 300 names with modes, links and lengths", this::lists),
        PeerCheck.of("nfs-ls", "lists a tree", this::listsATree),
        PeerCheck.of("nfs-cat", "fails for a name that is not there", this::findsNothing));
  }

  private String url(String path) {
    int port = cluster.gatewayPort();
    return "nfs://" + PeerCluster.HOST + path + "?nfsport=" + port + "&mountport=" + port;
  }

  private void mkdir(String path) throws Exception {
    var unused = cluster.files().mkdirs(WeftPath.of(path), WeftFiles.DIRECTORY_MODE);
  }

  private void copiesOut() throws Exception {
    mkdir("/out");
    for (int size : SIZES) {
      byte[] data = PeerCluster.bytes(size);
      cluster.write("/out/" + size, data);
      Path copy = cluster.local("out-" + size);
      cluster.programs().must("nfs-cp", url("/out/" + size), copy.toString());
      assertArrayEquals(data, Files.readAllBytes(copy), size + " bytes");
    }
  }

  private void copyIn(Path local, String path) throws Exception {
    cluster.programs().must("nfs-cp", local.toString(), url(path));
  }

  private void copiesIn() throws Exception {
    mkdir("/in");
    for (int size : SIZES) {
      byte[] data = PeerCluster.bytes(size);
      copyIn(Files.write(cluster.local("in-" + size), data), "/in/" + size);
      assertArrayEquals(data, cluster.read("/in/" + size), size + " bytes");
    }
  }

  private void prints() throws Exception {
    mkdir("/put");
    byte[] data = PeerCluster.bytes(7_000_001);
    Path local = Files.write(cluster.local("put"), data);
    cluster.cli().run("fs", "put", local.toString(), "/put/file");
    assertArrayEquals(data, cluster.programs().must("nfs-cat", url("/put/file")).output());
  }

  private void copiesInForGet() throws Exception {
    mkdir("/got");
    byte[] data = PeerCluster.bytes(6_000_001);
    copyIn(Files.write(cluster.local("get-in"), data), "/got/file");
    Path back = cluster.local("get-out");
    cluster.cli().run("fs", "get", "/got/file", back.toString());
    assertArrayEquals(data, Files.readAllBytes(back));
  }

  private Map<String, String> listed(String path, String... options) throws Exception {
    String[] arguments = new String[options.length + 1];
    System.arraycopy(options, 0, arguments, 0, options.length);
    arguments[options.length] = url(path);
    String text = cluster.programs().must("nfs-ls", arguments).text();
    Map<String, String> rows = new TreeMap<>();
    Matcher row = LISTED.matcher(text);
    while (row.find()) {
      String value = row.group(1) + " " + row.group(2) + " " + row.group(3);
      assertEquals(null, rows.put(row.group(4), value), () -> "listed twice: " + row.group(4));
    }
    assertEquals(text.lines().count(), rows.size(), text);
    return rows;
  }

  private static String mode(FileStatus status) {
    StringBuilder text = new StringBuilder();
    text.append(status.isDirectory() ? 'd' : status.isSymlink() ? 'l' : '-');
    for (int bit = 8; bit >= 0; bit--) {
      text.append((status.mode() >> bit & 1) == 0 ? '-' : "xwr".charAt(bit % 3));
    }
    return text.toString();
  }

  private void lists() throws Exception {
    mkdir("/names/below");
    for (int i = 0; i < MANY_NAMES; i++) {
      cluster.write("/names/file " + i + " ü", PeerCluster.bytes(i));
    }
    var unused = cluster.files().symlink("file 1 ü", WeftPath.of("/names/symlink"));
    unused = cluster.files().link(WeftPath.of("/names/file 2 ü"), WeftPath.of("/names/link"));
    Map<String, String> listed = listed("/names");
    Map<String, String> wanted = new TreeMap<>();
    for (FileStatus each : cluster.files().listAll(WeftPath.of("/names"))) {
      if (each.isFile()) {
        wanted.put(each.path().name(), mode(each) + " " + each.links() + " " + each.sizeBytes());
      }
    }
    assertEquals(MANY_NAMES + 1, wanted.size());
    assertTrue(listed.get("file 2 ü").endsWith(" 2 2"), "two links, two bytes");
    // Lengths of directories and symbolic links, and the links of directories, are a gateway's own.
    assertTrue(listed.remove("below").startsWith("drwx"));
    assertTrue(listed.remove("symlink").startsWith("lrwx"));
    assertEquals(wanted, listed);
  }

  private void listsATree() throws Exception {
    mkdir("/tree/a/b");
    cluster.write("/tree/a/one", PeerCluster.bytes(1));
    cluster.write("/tree/a/b/two", PeerCluster.bytes(2));
    String text = cluster.programs().must("nfs-ls", "-R", url("/tree")).text();
    for (String name : List.of("a", "b", "one", "two")) {
      assertTrue(text.lines().anyMatch(line -> line.endsWith(name)), text);
    }
  }

  private void findsNothing() throws Exception {
    mkdir("/empty");
    PeerPrograms.Ended ended = cluster.programs().run("nfs-cat", url("/empty/none"));
    assertNotEquals(0, ended.status());
    assertTrue(ended.all().contains("NFS3ERR_NOENT"), ended.all());
  }
}
