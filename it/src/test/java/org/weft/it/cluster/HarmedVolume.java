package org.weft.it.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import org.weft.client.CreateOptions;
import org.weft.client.FileStatus;
import org.weft.client.LayoutSpec;
import org.weft.client.WeftFiles;
import org.weft.client.WeftOutputStream;
import org.weft.client.WeftPath;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.soak.process.WeftCli;
import org.weft.testkit.process.Await;

/**
 * Three files of a volume that are harmed in the stores of OSDs, each in another way. It also has
 * the findings that a check must have of them (P 6.8d).
 */
final class HarmedVolume {
  static final long DEADLINE_SECONDS = 60;
  static final LayoutSpec MIRROR = LayoutSpec.of(1, 1, 64 << 10);
  static final LayoutSpec WIDE = LayoutSpec.of(2, 1, 64 << 10);
  private static final int EXIT_FOUND = 12;
  private static final WeftPath WITHOUT_COMPONENT = WeftPath.of("/tmp/without-component");
  private static final WeftPath WITH_WRONG_UNIT = WeftPath.of("/tmp/with-wrong-unit");
  private static final WeftPath GONE = WeftPath.of("/tmp/gone");

  private HarmedVolume() {}

  static byte[] content(int length) {
    byte[] content = new byte[length];
    new Random(length).nextBytes(content);
    return content;
  }

  static void write(WeftFiles files, WeftPath path, LayoutSpec layout, int length)
      throws IOException {
    try (WeftOutputStream out = files.create(path, CreateOptions.newFile().withLayout(layout))) {
      out.write(content(length));
    }
  }

  /** Makes the files that are to be harmed. */
  static void make(WeftFiles files) throws IOException {
    write(files, WITHOUT_COMPONENT, WIDE, 300_000);
    write(files, WITH_WRONG_UNIT, WIDE, 300_001);
    write(files, GONE, MIRROR, 5_000);
  }

  /** What is to be done to them, on as few OSDs as that takes. */
  static List<StoreHarm> harms(WeftFiles files) throws IOException {
    FileStatus gone = files.attributes(GONE);
    StorageMap map = gone.map().orElseThrow();
    SortedSet<OsdId> holders = new TreeSet<>(map.components());
    holders.addAll(map.attributeOsds());
    List<StoreHarm> all = new ArrayList<>();
    holders.forEach(osd -> all.add(new StoreHarm(gone, osd, true)));
    for (WeftPath path : List.of(WITHOUT_COMPONENT, WITH_WRONG_UNIT)) {
      FileStatus file = files.attributes(path);
      List<OsdId> components = file.map().orElseThrow().components();
      OsdId osd = components.stream().filter(holders::contains).findFirst().orElseThrow();
      all.add(new StoreHarm(file, osd, path.equals(WITHOUT_COMPONENT)));
    }
    return all;
  }

  /** "kind path" of each finding that a check with parity has to tell once they are harmed. */
  private static SortedSet<String> wanted() {
    return new TreeSet<>(
        List.of(
            "component-absent " + WITHOUT_COMPONENT,
            // What is absent reads as zeros.
            "parity-differs " + WITHOUT_COMPONENT,
            "name-without-object " + GONE,
            "parity-differs " + WITH_WRONG_UNIT));
  }

  /** In order, with what is found twice, as where attributes are absent on two of three OSDs. */
  private static List<String> found(String lines) throws IOException {
    List<String> all = new ArrayList<>();
    for (String line : lines.lines().filter(each -> each.startsWith("{")).toList()) {
      JsonNode node = new ObjectMapper().readTree(line);
      if (node.has("nextStep")) {
        all.add(node.get("kind").asText() + " " + node.get("path").asText());
      }
    }
    // Some components are copies of attributes as well.
    all.remove("attributes-absent " + WITHOUT_COMPONENT);
    Collections.sort(all);
    return all;
  }

  /** Checks until all of that is found and nothing else: an OSD that is not back is not asked. */
  static void awaitFound(WeftCli cli, String... check) throws Exception {
    List<String> wanted = List.copyOf(wanted());
    AtomicReference<String> last = new AtomicReference<>("");
    Await.until(
        DEADLINE_SECONDS,
        () -> wanted + " by " + String.join(" ", check) + ": " + last.get(),
        () -> {
          WeftCli.Result result = cli.tryRun(check);
          last.set(result.output());
          return result.exitCode() == EXIT_FOUND && found(result.output()).equals(wanted);
        });
  }
}
