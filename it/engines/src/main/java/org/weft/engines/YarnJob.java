package org.weft.engines;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;

/**
 * MapReduce on YARN with everything of it on Weft: staging directory, distributed cache, aggregated
 * logs and job history.
 */
final class YarnJob implements Job {
  /** What the cluster's process prints when it is up. */
  static final String READY = "the cluster is up";

  private static final int TERA_ROWS = 20_000;
  private static final Pattern APPLICATION = Pattern.compile("application_\\d+_\\d+");

  @Override
  public String run(Run run, List<String> arguments) throws Exception {
    Page page = run.page("docs/engines/yarn.md");
    try (Children children = new Children(run)) {
      String classPath = System.getProperty("java.class.path");
      HadoopPrograms hadoop =
          new HadoopPrograms(
                  run,
                  page,
                  children,
                  Map.of("hadoop.tmp.dir", run.scratch().resolve("hadoop").toString()))
              .withClassPath(classPath);
      Files.writeString(
          hadoop.conf().resolve("log4j.properties"),
          """
          log4j.rootLogger=INFO,stderr
          log4j.appender.stderr=org.apache.log4j.ConsoleAppender
          log4j.appender.stderr.target=System.err
          log4j.appender.stderr.layout=org.apache.log4j.PatternLayout
          log4j.appender.stderr.layout.ConversionPattern=%d{ISO8601} %p %c{2}: %m%n
          """);
      writeYarnSite(page, hadoop.conf(), classPath);
      String logs = page.properties(0).get("yarn.nodemanager.remote-app-log-dir");
      Path words = run.scratch().resolve("words.txt");
      Map<String, Long> counts = MapReduceJob.writeWords(words);
      Path cached = Files.writeString(run.scratch().resolve("cached.txt"), "of every container\n");
      hadoop
          .replacing("/data/words.txt", words.toString())
          .replacing("/data/cached.txt", cached.toString());
      run.step("YARN starts");
      startYarn(run, children, hadoop.conf(), classPath);
      int commands = hadoop.runPage();
      Run.requireEquals(
          counts,
          MapReduceJob.counted(hadoop.run("hadoop fs -cat /words/counts/part-r-*")),
          "words");
      byte[][] sorted = MapReduceJob.sortedHere(run, hadoop, TERA_ROWS);
      int rounds =
          run.amid(
              "teragen, terasort",
              1,
              number -> {
                String dir = "/tera/" + number;
                MapReduceJob.generateAndSort(hadoop, TERA_ROWS, dir);
                MapReduceJob.requireSame(run, hadoop, dir, number, sorted);
              });
      int jobs = 1 + 2 * rounds;
      run.step("logs of " + jobs + " jobs");
      String nodes = requireLogs(hadoop, logs, jobs);
      return counts.size()
          + " words counted; "
          + rounds
          + " times "
          + TERA_ROWS
          + " rows sorted by two reducers, each byte as sorted here; logs of "
          + jobs
          + " jobs and "
          + nodes
          + " nodes gathered; "
          + commands
          + " commands of the page";
    }
  }

  /** What the page says, and what has this cluster fit into a small machine. */
  private static void writeYarnSite(Page page, Path conf, String classPath) throws IOException {
    Map<String, String> settings = new HashMap<>(page.properties(0));
    settings.putAll(
        Map.ofEntries(
            Map.entry("yarn.application.classpath", classPath.replace(File.pathSeparator, ",")),
            Map.entry(
                "mapreduce.application.classpath", classPath.replace(File.pathSeparator, ",")),
            Map.entry("yarn.resourcemanager.hostname", "127.0.0.1"),
            Map.entry("yarn.minicluster.yarn.nodemanager.resource.memory-mb", "1536"),
            Map.entry("yarn.scheduler.minimum-allocation-mb", "512"),
            Map.entry("yarn.nodemanager.vmem-check-enabled", "false"),
            Map.entry(
                "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage",
                "100"),
            Map.entry("yarn.app.mapreduce.am.resource.mb", "512"),
            Map.entry("yarn.app.mapreduce.am.command-opts", "-Xmx384m"),
            Map.entry("mapreduce.map.memory.mb", "512"),
            Map.entry("mapreduce.map.java.opts", "-Xmx384m"),
            Map.entry("mapreduce.reduce.memory.mb", "512"),
            Map.entry("mapreduce.reduce.java.opts", "-Xmx384m"),
            Map.entry("mapreduce.task.io.sort.mb", "64"),
            Map.entry("mapreduce.job.maps", "3")));
    Configuration site = new Configuration(false);
    settings.forEach(site::set);
    try (OutputStream out = Files.newOutputStream(conf.resolve("yarn-site.xml"))) {
      site.writeXml(out);
    }
  }

  private static void startYarn(Run run, Children children, Path conf, String classPath)
      throws Exception {
    List<String> words = new ArrayList<>(List.of(Jobs.class.getName(), "yarn-cluster"));
    words.addAll(run.words());
    words.add(conf.toString());
    Children.Child cluster = children.java("yarn-cluster", conf + ":" + classPath, words);
    cluster.until(
        () -> "YARN is not up; see " + cluster.errors(),
        () -> Files.readString(cluster.output()).contains(READY));
  }

  /** Logs of every job, from both nodes; {@code yarn logs} shows each. */
  private static String requireLogs(HadoopPrograms hadoop, String dir, int jobs) throws Exception {
    Set<String> applications = new TreeSet<>();
    Set<String> nodes = new TreeSet<>();
    Run.await(
        () -> dir + " has logs of " + applications.size() + " jobs and " + nodes.size() + " nodes",
        () -> {
          String listed = hadoop.run("hadoop fs -ls -R " + dir);
          applications.clear();
          nodes.clear();
          for (String line : listed.lines().filter(each -> each.startsWith("-")).toList()) {
            String name = line.substring(line.lastIndexOf('/') + 1);
            Matcher application = APPLICATION.matcher(line);
            if (application.find() && !name.endsWith(".tmp")) {
              applications.add(application.group());
              nodes.add(name);
            }
          }
          return applications.size() == jobs && nodes.size() == YarnCluster.NODES;
        });
    for (String each : applications) {
      String shown = hadoop.run("yarn logs -applicationId " + each);
      Run.require(
          shown.contains("LogType:syslog") && shown.contains("Container: container_"),
          "yarn logs shows nothing of " + each);
    }
    return Integer.toString(nodes.size());
  }
}
