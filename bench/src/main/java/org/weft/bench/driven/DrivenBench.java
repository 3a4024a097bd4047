package org.weft.bench.driven;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.weft.bench.load.BenchTarget;
import org.weft.bench.load.CpuMeter;
import org.weft.bench.load.LoadSession;
import org.weft.bench.load.Repetition;
import org.weft.bench.load.Scene;
import org.weft.bench.load.Workload;

/** Takes {@link Order}s from a stream until it ends, one after another. One thread. */
public final class DrivenBench implements Closeable {
  private final BenchTarget target;
  private final CpuMeter cpu;
  private final Scene scene;
  private final ObjectMapper mapper = new ObjectMapper();
  private LoadSession session;
  private Workload workload;

  public DrivenBench(BenchTarget target, CpuMeter cpu, Scene scene) {
    this.target = target;
    this.cpu = cpu;
    this.scene = scene;
  }

  /** Answers every line; an order that fails is answered too, and the next one taken. */
  public void serve(InputStream orders, PrintWriter answers) throws IOException {
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(orders, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      answers.println(mapper.writeValueAsString(answer(line)));
      answers.flush();
    }
  }

  private Map<String, Object> answer(String line) {
    Map<String, Object> answer = new LinkedHashMap<>();
    try {
      Order order = mapper.readValue(line, Order.class);
      answer.put("did", order.does());
      answer.putAll(carryOut(order));
    } catch (IOException | RuntimeException e) {
      answer.put("error", e.getMessage() == null ? e.toString() : e.getMessage());
    }
    return answer;
  }

  private Map<String, Object> carryOut(Order order) throws IOException {
    switch (order.does()) {
      case OPEN -> {
        return open(order.load());
      }
      case WARM_UP -> {
        return measured(opened().warmUp(order.seconds()));
      }
      case REPEAT -> {
        return measured(opened().repeat(order.number()));
      }
      case CLOSE -> {
        return Map.of("files", Manifest.write(opened().left(), Path.of(order.file())));
      }
      case VERIFY -> {
        return new Verification(target).run(Path.of(order.file()));
      }
      default -> {
        opened().remove();
        close();
        return Map.of();
      }
    }
  }

  private Map<String, Object> measured(Repetition repetition) {
    return repetition.toMap(workload);
  }

  private Map<String, Object> open(LoadOrder load) throws IOException {
    close();
    LoadLine line = LoadLine.parse(load.options());
    workload = line.workload();
    session = new LoadSession(target, cpu, scene, workload, line.settings(load.directory()));
    session.prepare();
    return Map.of("ioBytes", session.ioBytes());
  }

  private LoadSession opened() {
    if (session == null) {
      throw new IllegalStateException("no load is open");
    }
    return session;
  }

  @Override
  public void close() throws IOException {
    LoadSession open = session;
    session = null;
    if (open != null) {
      open.close();
    }
  }
}
