! Parallel regions inside target regions: atomic, critical, barrier, single, teams.
program threads
  use omp_lib
  implicit none
  integer :: i, hits, in_team(8), t, threads_there

  hits = 0
  !$omp target teams distribute parallel do map(tofrom: hits)
  do i = 1, 1000
    !$omp atomic
    hits = hits + 1
  end do
  if (hits /= 1000) stop 'atomic'

  in_team = 0
  !$omp target teams num_teams(8) thread_limit(64) map(tofrom: in_team) private(t)
  t = omp_get_team_num() + 1
  !$omp parallel
  !$omp atomic
  in_team(t) = in_team(t) + 1
  !$omp end parallel
  !$omp end target teams
  if (sum(in_team) == 0) stop 'teams'

  hits = 0
  threads_there = 0
  !$omp target map(tofrom: hits, threads_there)
  !$omp parallel num_threads(32)
  !$omp critical
  hits = hits + 1
  !$omp end critical
  !$omp barrier
  !$omp single
  hits = hits * 2
  threads_there = omp_get_num_threads()
  !$omp end single
  !$omp end parallel
  !$omp end target
  if (hits /= 2 * threads_there) stop 'critical, barrier, single'
  print '(a)', 'PASS'
end program
