package org.weft.bench.compare;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the daemons of a quickstart hold in memory: bytes of live objects after a full collection
 * ({@code jcmd PID GC.class_histogram}), and the resident set. Of several of one kind the largest;
 * where all are in one process, that process.
 */
final class Heaps {
  private static final Pattern TOTAL = Pattern.compile("(?m)^Total +\\d+ +(\\d+)");
  private static final Pattern RESIDENT = Pattern.compile("(?m)^VmRSS:\\s+(\\d+) kB");
  private static final long KIB = 1 << 10;

  private Heaps() {}

  /** By kind: {@code heap} and {@code resident}, in bytes. */
  static ObjectNode of(Path quickstart) throws IOException {
    Map<String, long[]> byKind = new TreeMap<>();
    for (Path file : processes(quickstart.resolve("run"))) {
      String kind = file.getFileName().toString().replaceAll("(-[0-9]+)?\\.pid$", "");
      String pid = Files.readString(file).trim();
      long[] most = byKind.computeIfAbsent(kind, key -> new long[2]);
      most[0] = Math.max(most[0], number(TOTAL, histogram(pid), pid));
      String status = Files.readString(Path.of("/proc", pid, "status"));
      most[1] = Math.max(most[1], number(RESIDENT, status, pid) * KIB);
    }
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    byKind.forEach(
        (kind, most) -> node.putObject(kind).put("heap", most[0]).put("resident", most[1]));
    return node;
  }

  private static List<Path> processes(Path run) throws IOException {
    List<Path> daemons = new ArrayList<>();
    try (var files = Files.newDirectoryStream(run, "*-*.pid")) {
      files.forEach(daemons::add);
    }
    return daemons.isEmpty() ? List.of(run.resolve("quickstart.pid")) : daemons;
  }

  private static long number(Pattern pattern, String text, String pid) throws IOException {
    Matcher matcher = pattern.matcher(text);
    if (!matcher.find()) {
      throw new IOException("process " + pid + " does not say what it holds in memory");
    }
    return Long.parseLong(matcher.group(1));
  }

  private static String histogram(String pid) throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                pid,
                "GC.class_histogram")
            .redirectErrorStream(true)
            .start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      var unused = process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while looking at process " + pid);
    }
    return text;
  }
}
