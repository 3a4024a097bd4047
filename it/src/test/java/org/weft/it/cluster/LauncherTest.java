package org.weft.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.soak.process.WeftProcess;

/**
 * What the script {@code weft}, installed without its sources, gives to Java: one that only tells.
 */
class LauncherTest {
  private static final String HUGE = "-XX:+UseTransparentHugePages";
  private static final Path KERNEL_SETTING = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");

  @TempDir Path home;
  private Path weft;
  private Path java;

  @BeforeEach
  void install() throws IOException {
    Path checkout = Path.of("").toAbsolutePath();
    while (!Files.exists(checkout.resolve("weft"))) {
      checkout = checkout.getParent();
    }
    weft =
        Files.copy(
            checkout.resolve("weft"), home.resolve("weft"), StandardCopyOption.COPY_ATTRIBUTES);
    Files.createDirectories(home.resolve("lib"));
    java = home.resolve("java");
    Path program = Files.createDirectories(java.resolve("bin")).resolve("java");
    Files.writeString(
        program,
        "#!/bin/sh\necho \"$@\"\necho \"tunables=$GLIBC_TUNABLES\"\necho \"umask=$(umask)\"\n");
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private String told(Map<String, String> environment, String... arguments) throws Exception {
    Map<String, String> all = new HashMap<>(Map.of("GLIBC_TUNABLES", "", "WEFT_JAVA_OPTS", ""));
    all.putAll(environment);
    all.put("JAVA_HOME", java.toString());
    try (WeftProcess process = WeftProcess.launch(weft, all, arguments)) {
      assertEquals(0, process.awaitEnd(), process.output());
      return process.output() + "\n";
    }
  }

  private static boolean kernelGivesHugePages() throws IOException {
    if (!Files.isReadable(KERNEL_SETTING)) {
      return false;
    }
    String setting = Files.readString(KERNEL_SETTING);
    return setting.contains("[madvise]") || setting.contains("[always]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"osd", "manager", "sysmgr", "quickstart"})
  void daemonsAskForHugePagesWhereTheKernelGivesThem(String daemon) throws Exception {
    String told = told(Map.of(), daemon);
    assertEquals(kernelGivesHugePages(), told.contains(HUGE), told);
    assertTrue(told.contains("tunables=glibc.malloc.hugetlb=1\n"), told);
  }

  @ParameterizedTest
  @ValueSource(strings = {"osd", "manager", "sysmgr", "quickstart"})
  void daemonFilesArePrivateToTheirUser(String daemon) throws Exception {
    String told = told(Map.of(), daemon);
    assertTrue(told.contains("umask=0077\n"), told);
  }

  @Test
  void copiesAreMadeWithTheUsersOwnMask() throws Exception {
    String told = told(Map.of(), "fs", "get", "/a");
    assertFalse(told.contains("umask=0077\n"), told);
  }

  @Test
  void aManagerWithAGatewayInItsProcessHasMemoryForBoth() throws Exception {
    Path conf = home.resolve("weft.conf");
    Files.writeString(conf, "host=a\nmanager.nfs = true\n");
    String large = "-XX:MaxDirectMemorySize=1g";
    assertFalse(told(Map.of(), "manager").contains(large));
    assertTrue(told(Map.of(), "manager", "--set", "manager.nfs=true").contains(large));
    assertTrue(told(Map.of(), "manager", "--config", conf.toString()).contains(large));
    String off = told(Map.of(), "manager", "--config=" + conf, "--set", "manager.nfs=false");
    assertFalse(off.contains(large), off);
  }

  @ParameterizedTest
  @ValueSource(strings = {"export", "id", "clients", "locks"})
  void commandsAboutGatewaysStartNoGateway(String command) throws Exception {
    String told = told(Map.of(), "nfs", command);
    assertTrue(told.contains("-Xmx64m"), told);
    assertFalse(told.contains("-XX:MaxDirectMemorySize"), told);
  }

  @Test
  void shortCommandsDoNot() throws Exception {
    String told = told(Map.of(), "fs", "ls", "/");
    assertFalse(told.contains(HUGE), told);
    assertTrue(told.contains("tunables=\n"), told);
  }

  @Test
  void operatorsMemorySettingStands() throws Exception {
    String own = "glibc.malloc.hugetlb=0";
    String told =
        told(
            Map.of("GLIBC_TUNABLES", own, "WEFT_JAVA_OPTS", "-XX:-UseTransparentHugePages -Xmx2g"),
            "osd");
    assertTrue(told.contains("tunables=" + own + "\n"), told);
    // The last one of two counts.
    assertTrue(told.indexOf("-XX:-UseTransparentHugePages") > told.indexOf(HUGE), told);
    assertTrue(told.indexOf("-Xmx2g") > told.indexOf("-Xmx512m"), told);
  }

  @Test
  void aCheckoutIsNotBuiltWhereTheUserForbidsIt() throws Exception {
    Files.createFile(home.resolve("pom.xml"));
    Map<String, String> environment =
        Map.of("JAVA_HOME", java.toString(), "WEFT_NO_BUILD", "1", "WEFT_JAVA_OPTS", "");
    try (WeftProcess process = WeftProcess.launch(weft, environment, "--help")) {
      assertEquals(1, process.awaitEnd(), process.output());
      assertTrue(process.output().contains("WEFT_NO_BUILD is set"), process.output());
    }
    assertFalse(Files.exists(home.resolve("cli")), "a build has begun");
  }

  @ParameterizedTest
  @ValueSource(strings = {"osd", "manager", "sysmgr", "quickstart", "fs"})
  void tooFewFileDescriptorsAreNamedBeforeJavaMeetsThem(String command) throws Exception {
    Map<String, String> environment = Map.of("JAVA_HOME", java.toString(), "WEFT_JAVA_OPTS", "");
    String limited = "ulimit -n 64; exec '" + weft + "' " + command;
    try (WeftProcess process = WeftProcess.launch(Path.of("/bin/sh"), environment, "-c", limited)) {
      assertEquals(1, process.awaitEnd(), process.output());
      assertEquals(1, process.output().lines().count(), process.output());
      assertTrue(process.output().contains("may have 64 files open"), process.output());
      assertTrue(process.output().contains("ulimit -n 65536"), process.output());
    }
  }

  @Test
  void otherTunablesAreKept() throws Exception {
    String told = told(Map.of("GLIBC_TUNABLES", "glibc.malloc.arena_max=8"), "osd");
    assertTrue(told.contains("tunables=glibc.malloc.arena_max=8:glibc.malloc.hugetlb=1\n"), told);
  }

  @Test
  void filesOfTheCurrentDirectoryAreNotLoaded() throws Exception {
    Path folder = Files.createDirectory(home.resolve("planted"));
    Files.writeString(
        folder.resolve("logback-test.xml"),
        "<configuration><statusListener class=\"Planted\"/></configuration>");
    Files.copy(folder.resolve("logback-test.xml"), folder.resolve("logback.xml"));
    Path source =
        Files.writeString(
            folder.resolve("Planted.java"),
            """
            public class Planted extends ch.qos.logback.core.status.OnConsoleStatusListener {
              static { System.out.println("planted code runs"); }
            }
            """);
    assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, source.toString()));
    jarOfThisClassPath(home.resolve("lib/weft.jar"));
    Map<String, String> environment =
        Map.of("JAVA_HOME", System.getProperty("java.home"), "WEFT_JAVA_OPTS", "");
    // It writes to the log and ends.
    String command =
        "cd '%s' && exec '%s' sysmgr restore --from 127.0.0.1:1 --join-token-file logback.xml --data x"
            .formatted(folder, weft);
    try (WeftProcess process = WeftProcess.launch(Path.of("/bin/sh"), environment, "-c", command)) {
      assertEquals(1, process.awaitEnd(), process.output());
      assertTrue(process.output().contains("no copy was found"), process.output());
      assertFalse(process.output().contains("planted code runs"), process.output());
    }
  }

  /** A jar that leads to what this test was started with, but for classes and files of tests. */
  private static void jarOfThisClassPath(Path jar) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest
        .getMainAttributes()
        .put(
            Attributes.Name.CLASS_PATH,
            Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.endsWith("test-classes"))
                .map(entry -> Path.of(entry).toUri().toString())
                .collect(Collectors.joining(" ")));
    new JarOutputStream(Files.newOutputStream(jar), manifest).close();
  }
}
