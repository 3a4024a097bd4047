package org.weft.hadoop.shell;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FsShell;
import org.apache.hadoop.util.ReflectionUtils;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * Runs commands of Hadoop's shell one after another, in a JVM of its own. It prints for each its
 * exit code, its output and its errors. Uses nothing of Weft's: only its jar is on the class path.
 */
public final class ShellScript {
  static final String EXIT = "== exit ";

  private ShellScript() {}

  /**
   * @param arguments the default file system, then a file with one command per line, its words
   *     separated by tabs. A command is one of the shell, or the class of a tool with its
   *     arguments. Settings {@code KEY=VALUE} follow
   */
  public static void main(String[] arguments) throws Exception {
    Configuration conf = new Configuration();
    conf.set("fs.defaultFS", arguments[0]);
    for (String setting : List.of(arguments).subList(2, arguments.length)) {
      int equals = setting.indexOf('=');
      conf.set(setting.substring(0, equals), setting.substring(equals + 1));
    }
    PrintStream console = System.out;
    PrintStream errors = System.err;
    for (String line : Files.readAllLines(Path.of(arguments[1]))) {
      ByteArrayOutputStream printed = new ByteArrayOutputStream();
      try (PrintStream both = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
        System.setOut(both);
        System.setErr(both);
        int exit = run(conf, List.of(line.split("\t")));
        console.println(EXIT + exit + " " + List.of(line.split("\t")));
      } finally {
        // What a tool throws is printed there, after what it had printed.
        System.setErr(errors);
        console.flush();
      }
      console.print(printed.toString(StandardCharsets.UTF_8));
      console.flush();
    }
  }

  private static int run(Configuration conf, List<String> words) throws Exception {
    if (words.get(0).startsWith("-")) {
      return ToolRunner.run(conf, new FsShell(), words.toArray(String[]::new));
    }
    Class<? extends Tool> type = Class.forName(words.get(0)).asSubclass(Tool.class);
    Tool tool = ReflectionUtils.newInstance(type, conf);
    return ToolRunner.run(conf, tool, words.subList(1, words.size()).toArray(String[]::new));
  }
}
