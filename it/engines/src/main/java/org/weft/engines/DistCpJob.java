package org.weft.engines;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** distcp from an HDFS to Weft and back, with checksums compared, by the pages' own commands. */
final class DistCpJob implements Job {
  private static final int FILES = 12;
  private static final int MAX_BYTES = 3_000_000;
  private static final long SEED = 20_261_128;

  @Override
  public String run(Run run, List<String> arguments) throws Exception {
    Path hdfs = run.scratch().resolve("hdfs");
    int port = Integer.parseInt(arguments.get(0));
    String address = "hdfs://127.0.0.1:" + port;
    try (Children children = new Children(run)) {
      run.step("an HDFS at " + address);
      hdfs(run, children, port, "start", hdfs.toString(), "1");
      try {
        return copies(run, children, address);
      } finally {
        hdfs(run, children, port, "stop", hdfs.toString());
      }
    }
  }

  private static void hdfs(Run run, Children children, int port, String... words) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(run.home().resolve("bench/hdfs").toString());
    builder.command().addAll(List.of(words));
    builder.environment().put("HDFS_PORT", Integer.toString(port));
    children.start("hdfs-" + words[0], builder).await();
  }

  private static String copies(Run run, Children children, String address) throws Exception {
    Path local = tree(run.scratch().resolve("tree"));
    int commands = 0;
    HadoopPrograms hadoop = null;
    for (String name : List.of("docs/engines/distcp.md", "docs/moving-from-hdfs.md")) {
      hadoop =
          new HadoopPrograms(
              run,
              run.page(name),
              children,
              Map.of(
                  "dfs.replication",
                  "1",
                  "hadoop.tmp.dir",
                  run.scratch().resolve("hadoop").toString()));
      hadoop.replacing("hdfs://namenode:8020", address);
      hadoop.run("hadoop fs -rm -r -f -skipTrash " + address + "/data weft://blue/data");
      hadoop.run("hadoop fs -put " + local + " " + address + "/data");
      commands += hadoop.runPage();
      Run.requireEquals(
          sums(hadoop, address + "/data"), sums(hadoop, "weft://blue/data"), name + ": checksums");
    }
    HadoopPrograms programs = hadoop;
    int rounds =
        run.amid(
            "there and back",
            1,
            number -> {
              String here = "weft://blue/copies/" + number;
              String back = address + "/back/" + number;
              String options = "-Ddfs.checksum.combine.mode=COMPOSITE_CRC -update ";
              programs.run("hadoop distcp " + options + address + "/data " + here);
              programs.run("hadoop distcp " + options + here + " " + back);
              Map<String, String> expected = sums(programs, address + "/data");
              Run.requireEquals(FILES, expected.size(), "files in HDFS");
              Run.requireEquals(expected, sums(programs, here), "checksums in Weft");
              Run.requireEquals(expected, sums(programs, back), "checksums back in HDFS");
              Path got = run.scratch().resolve("got-" + number);
              programs.run("hadoop fs -get " + here + " " + got);
              requireSame(local, got);
            });
    return FILES
        + " files from HDFS and back, "
        + rounds
        + " times, all checksums and all bytes the same; "
        + commands
        + " commands of two pages";
  }

  private static Path tree(Path root) throws Exception {
    Random random = new Random(SEED);
    for (int number = 0; number < FILES; number++) {
      Path dir = Files.createDirectories(root.resolve("dir" + number % 3));
      byte[] bytes = new byte[number == 0 ? 0 : random.nextInt(MAX_BYTES)];
      random.nextBytes(bytes);
      Files.write(dir.resolve("file" + number), bytes);
    }
    return root;
  }

  /** Of all files: the name below the directory, and the checksum that Hadoop prints. */
  private static Map<String, String> sums(HadoopPrograms hadoop, String dir) throws Exception {
    Map<String, String> sums = new TreeMap<>();
    String command = "hadoop fs -Ddfs.checksum.combine.mode=COMPOSITE_CRC -checksum ";
    for (String line : hadoop.run(command + dir + "/*/*").lines().toList()) {
      String[] words = line.split("\t");
      Run.requireEquals(3, words.length, "words of " + line);
      sums.put(words[0].substring(words[0].indexOf("/dir")), words[1] + " " + words[2]);
    }
    return sums;
  }

  private static void requireSame(Path expected, Path got) throws Exception {
    for (int number = 0; number < FILES; number++) {
      String name = "dir" + number % 3 + "/file" + number;
      Run.requireEquals(
          -1L,
          Files.mismatch(expected.resolve(name), got.resolve(name)),
          "first difference of " + name);
    }
  }
}
