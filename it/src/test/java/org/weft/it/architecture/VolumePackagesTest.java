package org.weft.it.architecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/**
 * Packages of the metadata server use each other one way, and each is small enough to be known
 * whole.
 */
@AnalyzeClasses(
    packages = "org.weft.metadata",
    importOptions = {ImportOption.DoNotIncludeTests.class, ModuleDirectionTest.NoTestJars.class})
class VolumePackagesTest {
  @ArchTest
  static final ArchRule packagesHaveNoCycle = PackageRules.haveNoCycle("the metadata server");

  @ArchTest
  static void noPackageHasMoreThanFortyClasses(JavaClasses classes) {
    PackageRules.assertFewClasses(classes, name -> true);
  }

  @ArchTest
  static void noMoreThanEightClassesReachEachOther(JavaClasses classes) {
    ClassCycles.assertAtMost(8, classes);
  }
}
