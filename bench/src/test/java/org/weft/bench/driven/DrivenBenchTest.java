package org.weft.bench.driven;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.bench.load.CpuMeter;
import org.weft.bench.load.Scene;

class DrivenBenchTest {
  @TempDir private Path folder;
  private DrivenBench driven;
  private String manifest;

  @BeforeEach
  void begin() {
    LocalBenchFiles files = new LocalBenchFiles(folder);
    driven = new DrivenBench(() -> files, new CpuMeter(), Scene.PLAIN);
    manifest = folder.resolve("manifest").toString();
  }

  private JsonNode ask(Order order) throws IOException {
    return ask(new ObjectMapper().writeValueAsString(order));
  }

  private JsonNode ask(String line) throws IOException {
    StringWriter answers = new StringWriter();
    driven.serve(
        new ByteArrayInputStream((line + "\n").getBytes(StandardCharsets.UTF_8)),
        new PrintWriter(answers));
    return new ObjectMapper().readTree(answers.toString());
  }

  private void open(String... options) throws IOException {
    JsonNode opened = ask(Order.open(new LoadOrder("/bench", List.of(options))));
    assertFalse(opened.has("error"), opened::toString);
  }

  @Test
  void ordersRepeatALoadAndReadBackItsFiles() throws IOException {
    open("small-write", "--threads", "2", "--count", "3", "--io-size", "10k");

    assertEquals(6, ask(Order.warmUp(0)).get("operations").asInt());
    assertEquals(6, ask(Order.repeat(0)).get("operations").asInt());
    assertEquals(6, ask(Order.close(manifest)).get("files").asInt());
    JsonNode seen = ask(Order.verify(manifest));
    assertEquals(6, seen.get("files").asInt());
    assertEquals(6 * 10_240, seen.get("bytes").asInt());
    assertFalse(ask(Order.of(Order.Verb.REMOVE)).has("error"));
    assertFalse(Files.exists(folder.resolve("bench")));
  }

  @Test
  void aByteThatIsNotAsItWasWrittenIsFound() throws IOException {
    open("append", "--count", "5", "--io-size", "3000");
    var unused = ask(Order.repeat(0));
    unused = ask(Order.close(manifest));
    Path file = folder.resolve("bench/append/thread-0/0-0");
    byte[] bytes = Files.readAllBytes(file);
    bytes[14_000] ^= 1;
    Files.write(file, bytes);

    String error = ask(Order.verify(manifest)).get("error").asText();

    assertTrue(error.contains("byte 14000"), error);
  }

  @Test
  void checkWantsRemovedFilesGoneAndOthersPresent() throws IOException {
    open("delete", "--count", "2", "--files", "3");
    var unused = ask(Order.repeat(0));
    unused = ask(Order.close(manifest));
    JsonNode seen = ask(Order.verify(manifest));
    assertEquals(1, seen.get("files").asInt());
    assertEquals(2, seen.get("gone").asInt());

    Path gone = folder.resolve("bench/delete/thread-0/0-0");
    Files.createFile(gone);
    assertTrue(ask(Order.verify(manifest)).get("error").asText().contains("no entry"));
    Files.delete(gone);
    Files.delete(folder.resolve("bench/delete/thread-0/0-2"));
    assertTrue(ask(Order.verify(manifest)).get("error").asText().contains("0-2 has no entry"));
  }

  @Test
  void anInvalidOrderIsAnsweredAndTheNextOneRuns() throws IOException {
    Stream.of(
            "nonsense",
            "{\"does\":\"REPEAT\",\"number\":1}",
            "{\"does\":\"OPEN\",\"load\":{\"directory\":\"/bench\",\"options\":[\"creat\"]}}",
            "{\"does\":\"OPEN\",\"load\":{\"directory\":\"/bench\",\"options\":[\"create\",\"--thread\",\"1\"]}}")
        .forEach(
            line -> {
              try {
                assertTrue(ask(line).has("error"), line);
              } catch (IOException e) {
                throw new AssertionError(line, e);
              }
            });
    open("create", "--count", "1");
    assertEquals(1, ask(Order.repeat(0)).get("operations").asInt());
  }
}
