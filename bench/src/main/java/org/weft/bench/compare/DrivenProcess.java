package org.weft.bench.compare;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.InterruptedIOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.weft.bench.driven.Order;

/** A client process that carries out orders. One thread. */
final class DrivenProcess implements Closeable {
  private static final long PATIENCE_MINUTES = 60;
  private static final long STOP_SECONDS = 20;
  private static final String END = "";

  private final String label;
  private final Path log;
  private final Process process;
  private final PrintWriter orders;
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
  private final ObjectMapper mapper = new ObjectMapper();

  /**
   * Starts it.
   *
   * @param log takes what it says beside its answers
   */
  DrivenProcess(String label, String command, Path log) throws IOException {
    this.label = label;
    this.log = log;
    this.process =
        new ProcessBuilder("bash", "-c", "exec " + command)
            .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    this.orders = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
    Thread reader = new Thread(this::read, "answers of " + label);
    reader.setDaemon(true);
    reader.start();
  }

  private void read() {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        // Libraries may print something of their own.
        if (line.startsWith("{")) {
          answers.add(line);
        }
      }
    } catch (IOException e) {
      System.err.println(label + ": its answers cannot be read any more: " + e);
    } finally {
      answers.add(END);
    }
  }

  /**
   * Carries out one order.
   *
   * @throws IOException with its own words if it failed
   */
  JsonNode ask(Order order) throws IOException {
    orders.println(mapper.writeValueAsString(order));
    String line;
    try {
      line = answers.poll(PATIENCE_MINUTES, TimeUnit.MINUTES);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for " + label);
    }
    if (line == null || line.equals(END)) {
      answers.add(END);
      throw new IOException(
          label
              + (line == null ? " did not answer in an hour" : " has ended")
              + "; its log is "
              + log);
    }
    JsonNode answer = mapper.readTree(line);
    if (answer.has("error")) {
      throw new IOException(answer.get("error").asText());
    }
    return answer;
  }

  /** Ends the process, by the end of its standard input; kills it if it does not end in time. */
  @Override
  public void close() throws IOException {
    orders.close();
    try {
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while " + label + " was stopping");
    }
  }
}
