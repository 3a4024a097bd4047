package org.weft.cli.quickstart;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.weft.cli.output.CommandFailure;

/** Stops and starts one OSD of a quickstart. */
public interface OsdSwitch {
  /** Stops it; its data stays. */
  void stop(int number) throws IOException, InterruptedException;

  /** Starts it again. */
  void start(int number) throws IOException, InterruptedException;

  /** The way that fits how the quickstart runs: its REST interface, or the OSD's own process. */
  static OsdSwitch of(QuickstartState state) {
    return state.processes() ? new ByProcess(state) : new ByRest(state);
  }

  /** OSDs in processes of their own. */
  record ByProcess(QuickstartState state) implements OsdSwitch {
    @Override
    public void stop(int number) throws IOException, InterruptedException {
      DaemonProcess.osd(state, number).stop();
    }

    @Override
    public void start(int number) throws IOException {
      DaemonProcess.osd(state, number).start();
    }
  }

  /** OSDs inside the quickstart's process. */
  record ByRest(QuickstartState state) implements OsdSwitch {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int OK = 200;

    @Override
    public void stop(int number) throws IOException, InterruptedException {
      post(number, "stop");
    }

    @Override
    public void start(int number) throws IOException, InterruptedException {
      post(number, "start");
    }

    private void post(int number, String action) throws IOException, InterruptedException {
      URI uri =
          URI.create(
              "http://" + state.plan().rest() + "/api/v1/quickstart/osds/" + number + "/" + action);
      HttpResponse<String> reply =
          HttpClient.newHttpClient()
              .send(
                  HttpRequest.newBuilder(uri)
                      .timeout(PATIENCE)
                      .header("Authorization", "Bearer " + RestToken.read(state.plan()).text())
                      .POST(HttpRequest.BodyPublishers.noBody())
                      .build(),
                  HttpResponse.BodyHandlers.ofString());
      if (reply.statusCode() != OK) {
        throw new CommandFailure(uri + " replied " + reply.statusCode() + ": " + reply.body());
      }
    }
  }
}
