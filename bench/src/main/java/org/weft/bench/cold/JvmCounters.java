package org.weft.bench.cold;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a JVM counted until its end, without a class of ours in it.
 *
 * @param classes that it loaded, those of its archive among them
 * @param methods that it compiled, once for each time
 * @param jitMillis of its compilers' threads
 */
record JvmCounters(long classes, long methods, long jitMillis) {
  private static final long MILLIS = 1_000;

  /** Options of a JVM that leaves its counters in the file. */
  static List<String> kept(Path file) {
    return List.of("-XX:+UsePerfData", "-XX:+PerfDataSaveToFile", "-XX:PerfDataSaveFile=" + file);
  }

  /** Of a JVM that has ended; a tool of the JDK knows how its file is written. */
  static JvmCounters read(Path file) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "jstat").toString(),
                "-J-Djstat.showUnsupported=true",
                "-snap",
                file.toUri().toString())
            .redirectErrorStream(true)
            .start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException("jstat cannot read " + file + ": " + printed.strip());
    }
    return parse(printed);
  }

  static JvmCounters parse(String printed) throws IOException {
    Map<String, String> values = new HashMap<>();
    printed
        .lines()
        .filter(line -> line.contains("="))
        .forEach(
            line -> {
              int sign = line.indexOf('=');
              values.put(line.substring(0, sign), line.substring(sign + 1));
            });
    long classes =
        value(values, "java.cls.loadedClasses") + value(values, "java.cls.sharedLoadedClasses");
    if (!values.containsKey("java.ci.totalTime")) {
      // It has no compilers (-Xint), and nothing that counts them.
      return new JvmCounters(classes, 0, 0);
    }
    return new JvmCounters(
        classes,
        value(values, "sun.ci.standardCompiles") + value(values, "sun.ci.osrCompiles"),
        value(values, "java.ci.totalTime") * MILLIS / value(values, "sun.os.hrt.frequency"));
  }

  private static long value(Map<String, String> values, String name) throws IOException {
    String text = values.get(name);
    if (text == null) {
      throw new IOException("this JVM does not count " + name);
    }
    return Long.parseLong(text);
  }
}
