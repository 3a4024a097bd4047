package org.weft.engines;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs the commands of a page, {@code hadoop ...} in a process with nothing but Hadoop's stock
 * client, the client jar, and the page's own core-site.xml.
 */
final class HadoopPrograms {
  private static final String DOCUMENTED = "storage0:7300,storage1:7300,storage2:7300";

  private final Run run;
  private final Page page;
  private final Children children;
  private final Map<String, String> replaced = new LinkedHashMap<>();
  private final Path conf;
  private String clientPath = stockClient();

  /**
   * Writes the core-site.xml of the page, with the cluster's own addresses.
   *
   * @param more properties that the page does not set
   */
  HadoopPrograms(Run run, Page page, Children children, Map<String, String> more)
      throws IOException {
    this.run = run;
    this.page = page;
    this.children = children;
    String site = page.coreSite();
    Run.require(
        site.contains(Run.ADDRESSES) && site.contains(DOCUMENTED),
        page.file() + ": its core-site.xml sets no " + Run.ADDRESSES + " of " + DOCUMENTED);
    StringBuilder own = new StringBuilder();
    more.forEach(
        (key, value) ->
            own.append(
                "<property><name>" + key + "</name><value>" + value + "</value></property>\n"));
    conf = Files.createDirectories(run.scratch().resolve("conf"));
    Files.writeString(
        conf.resolve("core-site.xml"),
        site.replace(DOCUMENTED, run.contacts())
            .replace("</configuration>", own + "</configuration>"));
  }

  /** What the page calls something, and what it is here. */
  HadoopPrograms replacing(String documented, String here) {
    replaced.put(documented, here);
    return this;
  }

  /** Commands run with this class path in place of Hadoop's stock client. */
  HadoopPrograms withClassPath(String classPath) {
    clientPath = classPath;
    return this;
  }

  /** Where the core-site.xml is. */
  Path conf() {
    return conf;
  }

  /** Runs every command of the page's blocks of the language {@code sh}; how many there are. */
  int runPage() throws Exception {
    List<String> commands = page.commands();
    for (String command : commands) {
      run.step("$ " + command);
      run(command);
    }
    return commands.size();
  }

  /**
   * Runs one command to its end.
   *
   * @return what it printed
   */
  String run(String command) throws Exception {
    String here = command;
    for (Map.Entry<String, String> each : replaced.entrySet()) {
      here = here.replace(each.getKey(), each.getValue());
    }
    List<String> words = List.of(here.split("\\s+"));
    if (words.get(0).equals("weft")) {
      return children.weft(words.subList(1, words.size()));
    }
    Run.require(
        words.get(0).equals(words.size() > 1 && words.get(1).equals("logs") ? "yarn" : "hadoop"),
        page.file() + " has a command that no job runs: " + command);
    List<String> program = new ArrayList<>();
    int arguments = 2;
    switch (words.get(1)) {
      case "fs" -> program.add("org.apache.hadoop.fs.FsShell");
      case "logs" -> program.add("org.apache.hadoop.yarn.client.cli.LogsCLI");
      case "distcp" -> program.add("org.apache.hadoop.tools.DistCp");
      case "jar" -> {
        Run.require(words.get(2).startsWith("hadoop-mapreduce-examples"), command);
        program.add("org.apache.hadoop.examples.ExampleDriver");
        arguments = 3;
      }
      default ->
          throw new AssertionError(page.file() + " has a command that no job runs: " + command);
    }
    program.addAll(words.subList(arguments, words.size()));
    String classPath = conf + File.pathSeparator + clientPath;
    return children.java(words.get(1), classPath, program).await();
  }

  /** Of this process's class path: Hadoop's client and tools, logging, and Weft's client jar. */
  private static String stockClient() {
    List<String> parts =
        List.of(
            "/hadoop-",
            "/weft-hadoop-fs-",
            "/commons-cli-",
            "/jcl-over-slf4j-",
            "/slf4j-api-",
            "/log4j-",
            "/classes");
    return String.join(
        File.pathSeparator,
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> parts.stream().anyMatch(entry::contains))
            .toList());
  }
}
