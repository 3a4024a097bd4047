package org.weft.cli.output;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;

/** Writes what {@code --json} asks for. */
public final class Json {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private Json() {}

  /** The node on one line. */
  public static String line(JsonNode node) {
    try {
      return MAPPER.writeValueAsString(node);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree of plain values did not become JSON", e);
    }
  }

  /** An array that is written element by element, one on each line. Not thread-safe. */
  public static final class ArrayWriter implements AutoCloseable {
    private final PrintWriter out;
    private final Lines lines;
    private boolean begun;

    public ArrayWriter(PrintWriter out) {
      this.out = out;
      this.lines = new Lines(out);
    }

    /** Fails if the output is not read any more. */
    public void add(JsonNode element) throws IOException {
      lines.print((begun ? ",\n " : "[") + line(element));
      begun = true;
    }

    @Override
    public void close() {
      out.println(begun ? "]" : "[]");
    }
  }
}
