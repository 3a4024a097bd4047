package org.weft.engines;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;

/**
 * HiveServer2 with its warehouse on Weft, asked over JDBC: tables of three formats, partitioned by
 * what the rows say, appended to and overwritten.
 */
final class HiveJob implements Job {
  private static final List<String> FORMATS = List.of("ORC", "PARQUET", "TEXTFILE");
  private static final int ROWS = 10_000;
  private static final int MIN_ROUNDS = 3;
  private static final int ROUND_ROWS = 1_000;
  private static final String SOURCE = "weft://blue/jobs/hive/source";

  /** The rows of each format's table: all ids below. */
  private final Map<String, Long> inTables = new HashMap<>();

  private Connection connection;
  private FileSystem fs;

  /** The argument is a free port. */
  @Override
  public String run(Run run, List<String> arguments) throws Exception {
    Page page = run.page("docs/engines/hive.md");
    try (Children children = new Children(run)) {
      run.step("HiveServer2 starts");
      connection = start(run, page, children, arguments.get(0));
      run.step("the SQL of the page");
      int statements = runPage(page);
      execute("SET hive.exec.dynamic.partition.mode=nonstrict");
      execute(
          "CREATE EXTERNAL TABLE source (id BIGINT, day INT, text STRING, number BIGINT) ROW FORMAT"
              + " DELIMITED FIELDS TERMINATED BY '\\t' STORED AS TEXTFILE LOCATION '"
              + SOURCE
              + "'");
      put(0, ROWS);
      for (String format : FORMATS) {
        run.step(format);
        execute(
            "CREATE TABLE rows_"
                + format
                + " (id BIGINT, text STRING, number BIGINT) PARTITIONED BY (day INT) STORED AS "
                + format);
        insert("INSERT OVERWRITE", format, "id < " + ROWS);
        inTables.put(format, (long) ROWS);
        requireRows(format, ROWS);
      }
      int rounds =
          run.amid(
              "rows are appended, and a day is overwritten",
              MIN_ROUNDS,
              round -> {
                put(ROWS + (long) round * ROUND_ROWS, ROUND_ROWS);
                String format = FORMATS.get(round % FORMATS.size());
                append(format, ROWS + (round + 1L) * ROUND_ROWS);
                insert("INSERT OVERWRITE", format, "day = " + round % RowModel.DAYS);
                requireRows(format, inTables.get(format));
              });
      long all = ROWS + (long) rounds * ROUND_ROWS;
      for (String format : FORMATS) {
        append(format, all);
        requireRows(format, all);
      }
      return all
          + " rows in tables of "
          + String.join(", ", FORMATS)
          + ", partitioned dynamically; "
          + rounds
          + " rounds of appends and overwrites; "
          + statements
          + " statements of the page";
    }
  }

  private Connection start(Run run, Page page, Children children, String port) throws Exception {
    Map<String, String> settings = new HashMap<>(page.properties(0));
    Run.require(
        settings.put(Run.ADDRESSES, run.contacts()) != null,
        page.file() + " does not set " + Run.ADDRESSES);
    String scratch = run.scratch().toString();
    settings.putAll(
        Map.ofEntries(
            Map.entry("hadoop.tmp.dir", scratch + "/hadoop"),
            Map.entry("mapreduce.framework.name", "local"),
            Map.entry("hive.execution.engine", "mr"),
            Map.entry("hive.exec.submit.local.task.via.child", "false"),
            Map.entry("hive.exec.local.scratchdir", scratch + "/hive"),
            Map.entry("hive.downloaded.resources.dir", scratch + "/hive-resources"),
            Map.entry("hive.querylog.location", scratch + "/hive-log"),
            Map.entry("hive.server2.enable.doAs", "false"),
            Map.entry("hive.server2.thrift.bind.host", "127.0.0.1"),
            Map.entry("hive.server2.thrift.port", port),
            Map.entry("hive.server2.webui.port", "0"),
            Map.entry("hive.server2.logging.operation.enabled", "false"),
            Map.entry("hive.server2.materializedviews.registry.impl", "DUMMY"),
            Map.entry("hive.scheduled.queries.executor.enabled", "false"),
            Map.entry("hive.notification.event.poll.interval", "0s"),
            Map.entry("hive.metastore.schema.verification", "false"),
            Map.entry("datanucleus.schema.autoCreateAll", "true"),
            Map.entry("hive.metastore.event.db.notification.api.auth", "false"),
            Map.entry(
                "javax.jdo.option.ConnectionURL",
                "jdbc:derby:;databaseName=" + scratch + "/metastore;create=true")));
    Configuration site = new Configuration(false);
    settings.forEach(site::set);
    fs = new org.apache.hadoop.fs.Path(SOURCE).getFileSystem(site);
    fs.mkdirs(new org.apache.hadoop.fs.Path(SOURCE));
    Path conf = Files.createDirectories(run.scratch().resolve("conf"));
    for (String name : List.of("core-site.xml", "hive-site.xml")) {
      try (OutputStream out = Files.newOutputStream(conf.resolve(name))) {
        site.writeXml(out);
      }
    }
    Children.Child server =
        children.java(
            "hiveserver2",
            conf + File.pathSeparator + System.getProperty("java.class.path"),
            // What it logs by itself lies beside what it prints.
            List.of("-Dhive.log.dir=" + scratch, "org.apache.hive.service.server.HiveServer2"));
    AtomicReference<Connection> connected = new AtomicReference<>();
    AtomicReference<SQLException> last = new AtomicReference<>();
    server.until(
        () -> "HiveServer2 does not answer; see " + server.errors() + ": " + last.get(),
        () -> {
          try {
            connected.set(
                DriverManager.getConnection("jdbc:hive2://127.0.0.1:" + port + "/default"));
            return true;
          } catch (SQLException e) {
            last.set(e);
            return false;
          }
        });
    return connected.get();
  }

  /** Runs the page's SQL; the text block after it is what its last statement gives. */
  private int runPage(Page page) throws SQLException {
    int statements = 0;
    List<Page.Block> blocks = page.blocks();
    for (int i = 0; i < blocks.size(); i++) {
      if (blocks.get(i).language().equals("sql")) {
        List<String> last = List.of();
        for (String statement : blocks.get(i).text().split(";")) {
          last = execute(statement.strip());
          statements++;
        }
        Run.requireEquals("text", blocks.get(i + 1).language(), page.file() + ", after its SQL");
        Run.requireEquals(blocks.get(i + 1).text().lines().toList(), last, page.file().toString());
      }
    }
    Run.require(statements > 0, page.file() + " has no SQL");
    return statements;
  }

  /** What the table lacks of the rows below a bound, all of which the source has. */
  private void append(String format, long bound) throws SQLException {
    insert("INSERT INTO", format, "id >= " + inTables.put(format, bound));
  }

  private void insert(String how, String format, String which) throws SQLException {
    execute(
        how
            + " TABLE rows_"
            + format
            + " PARTITION (day) SELECT id, text, number, day FROM source WHERE "
            + which);
  }

  private void put(long first, int count) throws IOException {
    StringBuilder lines = new StringBuilder();
    for (long id = first; id < first + count; id++) {
      lines.append(RowModel.line(id)).append('\n');
    }
    try (FSDataOutputStream out =
        fs.create(new org.apache.hadoop.fs.Path(SOURCE, "rows-" + first), false)) {
      out.write(lines.toString().getBytes(StandardCharsets.UTF_8));
    }
  }

  private void requireRows(String format, long bound) throws SQLException {
    Map<Integer, List<Long>> days = new TreeMap<>();
    for (String row :
        execute(
            "SELECT day, count(*), sum(id), sum(crc32(text)), sum(number) FROM rows_"
                + format
                + " GROUP BY day")) {
      String[] columns = row.split(" ");
      List<Long> sums = new ArrayList<>();
      for (int i = 1; i < columns.length; i++) {
        sums.add(Long.valueOf(columns[i]));
      }
      days.put(Integer.valueOf(columns[0]), sums);
    }
    Run.requireEquals(RowModel.of(bound, id -> true), days, format);
  }

  /** The rows of the answer, their values with spaces between them. */
  private List<String> execute(String statement) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Statement sql = connection.createStatement()) {
      if (!sql.execute(statement)) {
        return rows;
      }
      try (ResultSet result = sql.getResultSet()) {
        int columns = result.getMetaData().getColumnCount();
        while (result.next()) {
          StringBuilder row = new StringBuilder(result.getString(1));
          for (int column = 2; column <= columns; column++) {
            row.append(' ').append(result.getString(column));
          }
          rows.add(row.toString());
        }
      }
    }
    return rows;
  }
}
