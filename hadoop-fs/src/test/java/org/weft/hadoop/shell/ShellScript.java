package org.weft.hadoop.shell;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FsShell;
import org.apache.hadoop.util.ToolRunner;

/**
 * Runs commands of Hadoop's shell one after another, in a JVM of its own, and prints for each its
 * exit code, its output and its errors. Uses nothing of Weft's: only its jar is on the class path.
 */
public final class ShellScript {
  static final String EXIT = "== exit ";

  private ShellScript() {}

  /**
   * @param arguments the default file system, and a file with one command per line, its words
   *     separated by tabs
   */
  public static void main(String[] arguments) throws Exception {
    Configuration conf = new Configuration();
    conf.set("fs.defaultFS", arguments[0]);
    PrintStream console = System.out;
    for (String line : Files.readAllLines(Path.of(arguments[1]))) {
      ByteArrayOutputStream printed = new ByteArrayOutputStream();
      try (PrintStream both = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
        System.setOut(both);
        System.setErr(both);
        int exit = ToolRunner.run(conf, new FsShell(), line.split("\t"));
        console.println(EXIT + exit + " " + List.of(line.split("\t")));
      }
      console.print(printed.toString(StandardCharsets.UTF_8));
      console.flush();
    }
  }
}
