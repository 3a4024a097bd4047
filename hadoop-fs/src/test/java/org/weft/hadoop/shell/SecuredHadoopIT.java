package org.weft.hadoop.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.hadoop.SharedCluster;

/**
 * Stock clients with Hadoop's security on, as other services of a site may require it. Weft knows
 * no delegation tokens, and no program fails for want of one.
 */
class SecuredHadoopIT {
  @TempDir Path work;

  @ParameterizedTest
  @MethodSource("org.weft.hadoop.shell.StockClient#releases")
  void jobsRunWithoutTokensForTheUserOfThePrincipal(String release) throws Exception {
    String dir = "/tmp/secured-" + release;
    Path local = Files.writeString(work.resolve("words"), "one\ntwo\n");
    List<List<String>> commands =
        List.of(
            List.of("-rm", "-r", "-f", "-skipTrash", dir),
            List.of("-mkdir", "-p", dir + "/in"),
            List.of("-chmod", "777", dir),
            List.of("-put", local.toString(), dir + "/in"),
            List.of(
                SecuredJob.class.getName(),
                "-Dfs.weft.cluster.blue.addresses=" + address(),
                "clerk",
                "ada",
                "weft://blue" + dir + "/in",
                "weft://blue" + dir + "/out",
                "weft://blue" + dir + "/of-ada"),
            List.of("-cat", dir + "/out/part-m-00000"));
    List<StockClient.Outcome> outcomes = new StockClient(release, work).run(commands);
    assertEquals(commands.size(), outcomes.size());
    assertTrue(outcomes.stream().allMatch(each -> each.exit() == 0), outcomes::toString);
    List<String> said =
        outcomes.get(4).printed().lines().filter(line -> line.matches("[a-z ]+ \\S+")).toList();
    assertEquals(
        List.of(
            "security true",
            "service null",
            "token null",
            "added []",
            "left true",
            "of context []",
            "job true",
            "tokens 0",
            "owner clerk",
            "proxy ada"),
        said,
        outcomes::toString);
    assertEquals("0\tone\n4\ttwo\n", outcomes.get(5).printed());
  }

  private static String address() {
    return SharedCluster.get().uri().substring("weft://".length());
  }
}
