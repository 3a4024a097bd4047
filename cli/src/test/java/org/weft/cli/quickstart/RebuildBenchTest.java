package org.weft.cli.quickstart;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.bench.rebuild.RebuildBench;
import picocli.CommandLine;

/** The smallest point of {@code bench/rebuild}, on real daemons with slow disks. */
@Tag("long")
class RebuildBenchTest {
  private static final int FIRST_PORT = 18_300;

  @TempDir Path folder;

  @Test
  void anOsdIsLostAndAllOfItsFilesAreRebuilt() throws Exception {
    QuickstartPlan plan =
        new QuickstartPlan(
            folder, FIRST_PORT, 4, OptionalLong.of(256L << 20), "write-back", 1, 1, 0, false);
    BenchParts parts = new BenchParts();
    new CommandLine(new Options(parts))
        .parseArgs("--bench-disk-rate", "4m", "--bench-repair-share", "100");
    InProcessCluster cluster =
        InProcessCluster.start(plan, parts, new PrintWriter(new StringWriter()));
    try {
      FirstSteps.prepare(plan);
      StringWriter out = new StringWriter();
      StringWriter err = new StringWriter();
      CommandLine bench =
          new CommandLine(new RebuildBench())
              .setOut(new PrintWriter(out, true))
              .setErr(new PrintWriter(err, true));

      int code =
          bench.execute(
              "--cluster=" + plan.sysmgr(),
              "--rest=" + plan.rest(),
              "--data=" + folder,
              "--osds=4",
              "--disk-rate=4e6",
              "--per-osd=2000000",
              "--file-size=500000",
              "--share=100",
              "--foreground=1",
              "--json");

      assertEquals(0, code, err::toString);
      JsonNode line = new ObjectMapper().readTree(out.toString());
      assertEquals(3, line.get("width").asInt());
      assertTrue(line.get("lostFiles").asInt() > 0, out::toString);
      assertTrue(line.get("lostBytes").asLong() > 0, out::toString);
      double rate = line.get("megabytesPerSecond").asDouble();
      assertTrue(rate > 0 && rate <= line.get("boundMegabytesPerSecond").asDouble(), out::toString);
      assertTrue(line.get("clientsDuringRebuild").get("reads").asLong() >= 0, out::toString);
    } finally {
      cluster.stop();
    }
  }

  /** Carries the hidden options as {@code weft quickstart} does. */
  @CommandLine.Command
  private static final class Options {
    @SuppressWarnings("UnusedVariable") // The parser fills it.
    @CommandLine.Mixin
    private final BenchParts parts;

    Options(BenchParts parts) {
      this.parts = parts;
    }
  }
}
