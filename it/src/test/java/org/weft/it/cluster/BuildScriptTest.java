package org.weft.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.weft.soak.process.WeftProcess;

/** The script {@code it/build}, which other scripts build with, beside a Maven that only tells. */
class BuildScriptTest {
  private static final Instant LONG_AGO = Instant.parse("2020-01-01T00:00:00Z");

  @TempDir Path home;
  private Path script;
  private Path built;

  @BeforeEach
  void checkout() throws IOException {
    Path checkout = Path.of("").toAbsolutePath();
    while (!Files.exists(checkout.resolve("weft"))) {
      checkout = checkout.getParent();
    }
    script = checkout.resolve("it/build");
    for (String source : new String[] {"pom.xml", "it/pom.xml", "it/src/main/Source.java"}) {
      Path file = home.resolve(source);
      Files.createDirectories(file.getParent());
      Files.setLastModifiedTime(Files.createFile(file), FileTime.from(LONG_AGO));
    }
    built = home.resolve("built");
    Path maven = Files.createDirectories(home.resolve("bin")).resolve("mvn");
    Files.writeString(
        maven, "#!/bin/sh\necho \"Maven: $@\"\n[ -z \"$BREAK\" ] || exit 1\n: > '" + built + "'\n");
    Files.setPosixFilePermissions(maven, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @Test
  void scriptBuildsMissingOrStaleClassesAndSaysSo() throws Exception {
    String first = run(0, Map.of());
    assertTrue(first.contains("a script: building it and what it uses"), first);
    assertTrue(first.contains("-pl it -am package a:goal"), first);
    assertFalse(run(0, Map.of()).contains("Maven"), "what is new was built again");
    Files.setLastModifiedTime(
        home.resolve("it/src/main/Source.java"), FileTime.from(Instant.now().plusSeconds(60)));
    assertTrue(run(0, Map.of()).contains("Maven"), "what is old was not built");
  }

  /**
   * Modules take the jars of tests of other modules. A build that skips tests must make those jars,
   * or it resolves none of these modules.
   */
  @Test
  void aBuildWithoutTestsMakesTheJarsThatOtherModulesAskFor() throws Exception {
    Path parent = script.getParent().resolveSibling("pom.xml");
    XPath path = XPathFactory.newInstance().newXPath();
    Document pom = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(parent.toFile());
    assertEquals(
        "false",
        path.evaluate(
            "//pluginManagement//plugin[artifactId='maven-jar-plugin']/configuration/skip", pom),
        "the goal test-jar of maven-jar-plugin must not follow maven.test.skip");
  }

  @Test
  void aFailedBuildEndsTheScript() throws Exception {
    String output = run(1, Map.of("BREAK", "1"));
    assertTrue(output.contains("a script: the build failed"), output);
    assertFalse(output.contains("went on"), output);
  }

  @Test
  void scriptBuildsNothingIfForbidden() throws Exception {
    String output = run(1, Map.of("WEFT_NO_BUILD", "1"));
    assertTrue(output.contains("a script: it is missing or older than its sources"), output);
    assertFalse(output.contains("Maven:"), output);
    Files.createFile(built);
    assertTrue(run(0, Map.of("WEFT_NO_BUILD", "1")).contains("went on"));
  }

  private String run(int status, Map<String, String> environment) throws Exception {
    Map<String, String> all = new HashMap<>(environment);
    all.put("PATH", home.resolve("bin") + ":" + System.getenv("PATH"));
    String command =
        "set -euo pipefail; home='%s'; source '%s'; build_first 'a script' it '%s' a:goal; echo went on"
            .formatted(home, script, built);
    try (WeftProcess process = WeftProcess.launch(Path.of("/bin/bash"), all, "-c", command)) {
      assertEquals(status, process.awaitEnd(), process.output());
      return process.output();
    }
  }
}
