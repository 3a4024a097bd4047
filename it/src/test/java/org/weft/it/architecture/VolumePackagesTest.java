package org.weft.it.architecture;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.weft.metadata.help.CopyWorker;
import org.weft.metadata.repair.RepairOptions;

/**
 * Packages of the metadata server use each other one way, and those of a volume's machine are each
 * small enough to be known whole.
 */
@AnalyzeClasses(
    packages = "org.weft.metadata",
    importOptions = {ImportOption.DoNotIncludeTests.class, ModuleDirectionTest.NoTestJars.class})
class VolumePackagesTest {
  private static final int MAX_CLASSES = 40;
  private static final String VOLUME = "org.weft.metadata.volume";

  /** A worker that copies for another manager takes the options of repairs. */
  @ArchTest
  static final ArchRule packagesHaveNoCycle =
      slices()
          .assignedFrom(new ByPackage())
          .should()
          .beFreeOfCycles()
          .ignoreDependency(CopyWorker.class, RepairOptions.class);

  @ArchTest
  static void noPackageOfTheVolumeHasMoreThanFortyClasses(JavaClasses classes) {
    SortedMap<String, Long> counts =
        classes.stream()
            .filter(JavaClass::isTopLevelClass)
            .map(JavaClass::getPackageName)
            .filter(name -> name.equals(VOLUME) || name.startsWith(VOLUME + "."))
            .collect(
                Collectors.groupingBy(Function.identity(), TreeMap::new, Collectors.counting()));
    assertTrue(counts.size() >= 10, counts::toString);
    assertEquals(
        List.of(),
        counts.entrySet().stream()
            .filter(each -> each.getValue() > MAX_CLASSES)
            .map(each -> each.getKey() + " has " + each.getValue() + " classes")
            .toList());
  }

  private static final class ByPackage implements SliceAssignment {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass each) {
      return SliceIdentifier.of(each.getPackageName());
    }

    @Override
    public String getDescription() {
      return "packages of the metadata server";
    }
  }
}
