package org.weft.hadoop.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.weft.hadoop.SharedCluster;

/**
 * A JVM with only a stock Hadoop client and our jar on its class path. It runs commands of Hadoop's
 * shell and its tools on the shared cluster.
 */
record StockClient(String release, Path work) {
  private static final int RUN_SECONDS = 180;

  /** What one command said. */
  record Outcome(int exit, String printed) {}

  /** The newest alone, or those that a longer run names. */
  static List<String> releases() {
    return List.of(System.getProperty("weft.hadoop.releases", "3.5.0").split(","));
  }

  /** The one jar of the connector. */
  static Path jar() throws IOException {
    try (Stream<Path> all = Files.list(Path.of("target"))) {
      return all.filter(
              file -> file.getFileName().toString().matches("weft-hadoop-fs-.*-client.jar"))
          .findFirst()
          .orElseThrow();
    }
  }

  /** Runs them one after another; see {@link ShellScript}. */
  List<Outcome> run(List<List<String>> commands) throws Exception {
    Path script = work.resolve("script");
    Files.write(script, commands.stream().map(words -> String.join("\t", words)).toList());
    Path printed = work.resolve("printed");
    Process shell =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classPath(),
                ShellScript.class.getName(),
                SharedCluster.get().uri(),
                script.toString(),
                "mapreduce.cluster.local.dir=" + work.resolve("jobs").toAbsolutePath())
            .redirectOutput(printed.toFile())
            .redirectError(work.resolve("errors").toFile())
            .start();
    try {
      assertTrue(shell.waitFor(RUN_SECONDS, TimeUnit.SECONDS), "the shell did not end");
      assertEquals(
          0,
          shell.exitValue(),
          Files.readString(printed) + Files.readString(work.resolve("errors")));
    } finally {
      shell.destroyForcibly();
    }
    return outcomes(Files.readString(printed));
  }

  private static List<Outcome> outcomes(String printed) {
    List<Outcome> outcomes = new ArrayList<>();
    for (String part : printed.split("(?m)^" + Pattern.quote(ShellScript.EXIT), -1)) {
      int endOfHead = part.indexOf('\n');
      if (endOfHead > 0) {
        int exit = Integer.parseInt(part.substring(0, part.indexOf(' ')));
        outcomes.add(new Outcome(exit, part.substring(endOfHead + 1)));
      }
    }
    return outcomes;
  }

  /** The stock client with its tools, our jar, and the classes that run commands: no other. */
  private String classPath() throws IOException {
    Path driver = work.resolve("driver");
    for (Class<?> each : List.of(ShellScript.class, SortingJob.class, SecuredJob.class)) {
      String classFile = each.getName().replace('.', '/') + ".class";
      Path copy = driver.resolve(classFile);
      Files.createDirectories(copy.getParent());
      try (InputStream in = each.getResourceAsStream("/" + classFile)) {
        Files.copy(in, copy, StandardCopyOption.REPLACE_EXISTING);
      }
    }
    try (Stream<Path> stock = Files.list(Path.of("target", "hadoop-" + release));
        Stream<Path> tools = Files.list(Path.of("target", "hadoop-tools-" + release))) {
      return Stream.concat(Stream.concat(stock, tools), Stream.of(jar(), driver))
          .map(Path::toString)
          .collect(Collectors.joining(File.pathSeparator));
    }
  }
}
