package org.weft.it.architecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/**
 * Packages of an OSD use each other one way, and those of its store are each small enough to be
 * known whole.
 */
@AnalyzeClasses(
    packages = "org.weft.osd",
    importOptions = {ImportOption.DoNotIncludeTests.class, ModuleDirectionTest.NoTestJars.class})
class OsdPackagesTest {
  private static final String STORE = "org.weft.osd.store.";

  @ArchTest static final ArchRule packagesHaveNoCycle = PackageRules.haveNoCycle("an OSD");

  @ArchTest
  static void noPackageBelowTheStoreHasMoreThanFortyClasses(JavaClasses classes) {
    PackageRules.assertFewClasses(classes, name -> name.startsWith(STORE));
  }

  @ArchTest
  static void noCycleBelowTheStoreHasMoreThanEightClasses(JavaClasses classes) {
    PackageRules.assertSmallClassCycles(classes, name -> name.startsWith(STORE));
  }
}
