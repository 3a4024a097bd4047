package org.weft.bench.compare;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.weft.bench.driven.LoadLine;
import org.weft.bench.load.BenchSettings;

/**
 * Everything that was measured, one JSON object a line, written at once: what was measured before a
 * run is broken off is kept.
 */
public final class Results {
  private final Path file;
  private final ObjectMapper mapper = new ObjectMapper();

  Results(Path file) {
    this.file = file;
  }

  /** A line of a case and a system; {@code more} is added to what they are. */
  void add(PlanCase planned, String label, String what, int number, JsonNode more)
      throws IOException {
    LoadLine line = LoadLine.parse(planned.options());
    BenchSettings settings = line.settings("/");
    ObjectNode node = mapper.createObjectNode();
    node.put("case", planned.name());
    node.put("planned", planned.number());
    node.put("subject", planned.systems().get(0));
    node.put("label", label);
    node.put("what", what);
    node.put("number", number);
    node.put("workload", line.workload().label());
    node.put("threads", settings.threads());
    node.put("clients", settings.clients());
    node.put(
        "ioBytes", settings.ioBytes() == 0 ? line.workload().defaultIoBytes() : settings.ioBytes());
    node.put("fileBytes", settings.fileBytes());
    node.put("files", settings.files());
    node.put("perDirectory", settings.perDirectory());
    node.put("sharedDirectory", settings.sharedDirectory());
    node.put("cold", settings.cold());
    node.set("data", more);
    var unused =
        Files.writeString(
            file,
            mapper.writeValueAsString(node) + "\n",
            StandardOpenOption.CREATE,
            StandardOpenOption.APPEND);
  }

  /** What was written until now; empty if there is no such file. */
  public static List<JsonNode> read(Path file) throws IOException {
    List<JsonNode> lines = new ArrayList<>();
    ObjectMapper mapper = new ObjectMapper();
    try {
      for (String line : Files.readAllLines(file)) {
        lines.add(mapper.readTree(line));
      }
    } catch (NoSuchFileException e) {
      return List.of();
    }
    return lines;
  }
}
