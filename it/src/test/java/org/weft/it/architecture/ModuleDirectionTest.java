package org.weft.it.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;

/**
 * Dependencies between modules run one way, and libraries stay behind the package that adapts them.
 */
@AnalyzeClasses(
    packages = "org.weft",
    importOptions = {
      ImportOption.DoNotIncludeTests.class,
      ModuleDirectionTest.NoTestJars.class,
      ModuleDirectionTest.NoMessages.class
    })
class ModuleDirectionTest {
  /** Tests of other modules come as jars of their own. */
  static final class NoTestJars implements ImportOption {
    @Override
    public boolean includes(Location location) {
      return !location.contains("-tests.jar");
    }
  }

  /**
   * Classes of messages are generated, and use the library of messages alone. One class around all
   * of them has so many methods that reading it takes longer than reading all others.
   */
  static final class NoMessages implements ImportOption {
    @Override
    public boolean includes(Location location) {
      return !location.contains("/org/weft/protocol/wire/");
    }
  }

  @ArchTest static final ArchTests PACKAGES = ArchTests.in(PackageRules.class);

  @ArchTest static final ArchTests WIRE_TYPES = ArchTests.in(WireTypeRules.class);

  private static final String PROTOCOL = "org.weft.protocol..";
  private static final String OSD = "org.weft.osd..";
  private static final String CLIENT = "org.weft.client..";
  private static final String RECOVERY = "org.weft.recovery..";
  private static final String METADATA = "org.weft.metadata..";
  private static final String SYSMGR = "org.weft.sysmgr..";
  private static final String TESTKIT = "org.weft.testkit..";
  private static final String NFS = "org.weft.nfs..";
  private static final String CLI = "org.weft.cli..";
  private static final String SIMULATOR = "org.weft.simulator..";
  private static final String SOAK = "org.weft.soak..";

  @ArchTest static final ArchRule protocolUsesNoOtherModule = mayUseOfWeft(PROTOCOL, PROTOCOL);

  @ArchTest static final ArchRule osdServerUsesProtocol = mayUseOfWeft(OSD, OSD, PROTOCOL);

  @ArchTest static final ArchRule clientCoreUsesProtocol = mayUseOfWeft(CLIENT, CLIENT, PROTOCOL);

  @ArchTest
  static final ArchRule fileRecoveryUsesClientCore =
      mayUseOfWeft(RECOVERY, RECOVERY, CLIENT, PROTOCOL);

  @ArchTest
  static final ArchRule metadataServerUsesClientCore =
      mayUseOfWeft(METADATA, METADATA, RECOVERY, CLIENT, PROTOCOL);

  @ArchTest static final ArchRule sysmgrUsesProtocol = mayUseOfWeft(SYSMGR, SYSMGR, PROTOCOL);

  @ArchTest
  static final ArchRule nfsGatewayUsesClientCore = mayUseOfWeft(NFS, NFS, CLIENT, PROTOCOL);

  @ArchTest
  static final ArchRule whatServesFilesKnowsNoVersionOfNfs =
      mayUseOfWeft("org.weft.nfs.files..", "org.weft.nfs.files..", CLIENT, PROTOCOL);

  @ArchTest static final ArchRule testkitUsesProtocol = mayUseOfWeft(TESTKIT, TESTKIT, PROTOCOL);

  @ArchTest
  static final ArchRule theSoakAloneUsesTheCommands =
      noClasses()
          .that()
          .resideOutsideOfPackages(CLI, SOAK)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(CLI);

  @ArchTest
  static final ArchRule theSimulatorUsesTheCoresAndNoCommand =
      mayUseOfWeft(
          SIMULATOR, SIMULATOR, OSD, CLIENT, RECOVERY, METADATA, SYSMGR, NFS, TESTKIT, PROTOCOL);

  @ArchTest
  static final ArchRule nothingThatIsShippedUsesItsSimulatorItsSoakOrItsFakes =
      noClasses()
          .that()
          .resideOutsideOfPackages(SIMULATOR, SOAK, TESTKIT)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(SIMULATOR, SOAK, TESTKIT);

  @ArchTest
  static final ArchRule nettyStaysInTheTransport =
      stays(
          "io.netty..",
          "org.weft.protocol.transport..",
          "org.weft.protocol.system..",
          "org.weft.nfs.oncrpc..",
          // Puts a library's class beside Weft's own, to measure both.
          "org.weft.bench.micro..");

  @ArchTest
  static final ArchRule rocksDbStaysInItsAdapter =
      stays("org.rocksdb..", "org.weft.osd.store.rocksdb..");

  @ArchTest
  static final ArchRule jnaStaysInItsAdapter = stays("com.sun.jna..", "org.weft.osd.store.disk..");

  @ArchTest
  static final ArchRule ratisStaysInItsAdapter =
      stays("org.apache.ratis..", "org.weft.sysmgr.replication.ratis..");

  @ArchTest
  static final ArchRule jettyStaysInTheRestPackage =
      stays("org.eclipse.jetty..", "org.weft.sysmgr.rest..");

  private static ArchRule mayUseOfWeft(String module, String... allowed) {
    return classes()
        .that()
        .resideInAPackage(module)
        .should()
        .onlyDependOnClassesThat(
            com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage(
                    "org.weft..")
                .or(
                    com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage(
                        allowed)));
  }

  private static ArchRule stays(String library, String... adapters) {
    return noClasses()
        .that()
        .resideOutsideOfPackages(adapters)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(library);
  }
}
