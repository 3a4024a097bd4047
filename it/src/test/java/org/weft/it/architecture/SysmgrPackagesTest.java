package org.weft.it.architecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/**
 * Packages of SysMgr use each other one way, each is small enough to be known whole, and few
 * classes use each other in a circle.
 */
@AnalyzeClasses(
    packages = "org.weft.sysmgr",
    importOptions = {ImportOption.DoNotIncludeTests.class, ModuleDirectionTest.NoTestJars.class})
class SysmgrPackagesTest {
  @ArchTest static final ArchRule packagesHaveNoCycle = PackageRules.haveNoCycle("SysMgr");

  @ArchTest
  static void noPackageHasMoreThanFortyClasses(JavaClasses classes) {
    PackageRules.assertFewClasses(classes, name -> true);
  }

  @ArchTest
  static void noCycleHasMoreThanEightClasses(JavaClasses classes) {
    PackageRules.assertSmallClassCycles(classes, name -> true);
  }
}
