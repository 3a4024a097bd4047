package org.weft.it.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.weft.client.WeftFiles;
import org.weft.client.WeftPath;
import org.weft.soak.process.DaemonCluster;

/** A volume whose managers are killed, to be checked without them (P 6.8d.6). */
final class OfflineChecked {
  static final WeftPath LATE = WeftPath.of("/tmp/late");
  static final int LATE_BYTES = 200_000;

  private OfflineChecked() {}

  /** The digest of each file below the folder. */
  static SortedMap<String, String> digests(Path folder) throws Exception {
    SortedMap<String, String> all = new TreeMap<>();
    try (Stream<Path> entries = Files.walk(folder)) {
      for (Path file : entries.toList()) {
        String name = folder.relativize(file).toString();
        all.put(
            name,
            Files.isDirectory(file)
                ? "folder"
                : HexFormat.of()
                    .formatHex(
                        MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file))));
      }
    }
    return all;
  }

  static Path token(DaemonCluster cluster) {
    return cluster.dataOf(cluster.sysmgr()).resolve("join-token");
  }

  /**
   * The words of the check by a manager's directory, with parity.
   *
   * @param cluster where its SysMgr is, too
   */
  static String[] arguments(DaemonCluster cluster, int manager, boolean namesCluster) {
    List<String> words =
        new ArrayList<>(
            List.of(
                "volume",
                "check",
                "/",
                "--offline",
                "--parity",
                "--json",
                "--data",
                cluster.dataOf(cluster.manager(manager)).toString(),
                "--join-token-file",
                token(cluster).toString()));
    if (namesCluster) {
      words.addAll(List.of("--cluster", "127.0.0.1:" + cluster.port()));
    }
    return words.toArray(String[]::new);
  }

  static void fill(WeftFiles files) throws IOException {
    for (int number = 0; number < 40; number++) {
      WeftPath directory = WeftPath.of("/tmp/dir-" + number % 4);
      var unused = files.mkdirs(directory, 0755);
      HarmedVolume.write(
          files, directory.child("made-" + number), HarmedVolume.MIRROR, 1 + number * 100);
      if (number % 3 == 0) {
        files.rename(directory.child("made-" + number), directory.child("moved-" + number), false);
      } else if (number % 3 == 1) {
        files.unlink(directory.child("made-" + number));
      }
    }
    HarmedVolume.write(files, LATE, HarmedVolume.WIDE, LATE_BYTES);
  }
}
