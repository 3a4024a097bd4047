package org.weft.bench.cold;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ColdSystemTest {
  @TempDir private Path dir;

  private List<ColdSystem> read(String lines) throws IOException {
    return ColdSystem.read(Files.writeString(dir.resolve("systems"), lines));
  }

  @Test
  void aCommandOfHadoopsShellHasOneOfWeftBesideIt() throws IOException {
    ColdSystem system =
        read("weft-fs\tweft://127.0.0.1:7600/tmp\tweft\t/opt/weft\t\tip netns exec ns\n").get(0);
    List<String> command = List.of("fs", "-put", "-f", "/local/a", system.place() + "/a");
    ProcessBuilder client = system.client(command, dir.resolve("first"), dir.resolve("counters"));
    assertEquals(
        "ip netns exec ns /opt/weft fs put /local/a /tmp/a --cluster 127.0.0.1:7600",
        String.join(" ", client.command()));
    assertTrue(
        client.environment().get("WEFT_JAVA_OPTS").contains(dir.resolve("counters").toString()));
    assertEquals(
        List.of("fs", "rm", "-r", "/tmp/a"),
        ColdSystem.inWeft(List.of("-rm", "-r", "-skipTrash", "/tmp/a")));
  }

  @Test
  void systemsRunOnlyCasesOfTheirClients() throws IOException {
    List<ColdSystem> systems =
        read("a\tweft://h:1/t\thadoop\tf\nb\tweft://h:1/t\tweft\tf\nc\tweft://h:1/t\tspark\tf\n");
    for (ColdCase each : ColdCase.all()) {
      List<String> runs =
          systems.stream().filter(system -> system.runs(each)).map(ColdSystem::label).toList();
      List<String> expected =
          switch (each.kind()) {
            case ColdCase.SHELL -> List.of("a", "b");
            case ColdCase.LOAD -> List.of("a");
            default -> List.of("c");
          };
      assertEquals(expected, runs, each.name());
    }
  }

  @Test
  void aLineThatLacksAFieldIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> read("weft\tweft://h:1/t\thadoop\n"));
  }
}
