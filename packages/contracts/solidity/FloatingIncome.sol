// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Accumulates the floating income of each UTC day (per second and token, scaled by 1e25).
abstract contract FloatingIncome {
    event UpdateDailyFloatingIncome(uint256 updatedDay, uint256 floatingIncome, uint256 accFloatingIncome);
    event UpdatePreviousFloatingIncome(uint256 firstDay, uint256[] floatingIncomes, uint256[] accFloatingIncomes);

    error FloatingIncome__AlreadyUpdated(uint256 day);
    error FloatingIncome__DayMissing(uint256 day);
    error FloatingIncome__DayNotOver(uint256 day);
    error FloatingIncome__InvalidDays();

    uint256 private constant SCALE = 1e25;

    mapping(uint256 day => uint256) public accFloatingIncome;
    uint256 public lastFloatingIncomeUpdateDay;

    function isFloatingIncomeSynced() external view returns (bool) {
        return lastFloatingIncomeUpdateDay == _today() - 1;
    }

    function _updateDaily(uint256 income) internal {
        uint256 yesterday = _today() - 1;
        uint256 last = lastFloatingIncomeUpdateDay;
        if (last == yesterday) revert FloatingIncome__AlreadyUpdated(yesterday);
        // The first update has no previous day.
        if (last != 0 && last != yesterday - 1) revert FloatingIncome__DayMissing(last + 1);
        uint256 acc = accFloatingIncome[yesterday - 1] + income;
        accFloatingIncome[yesterday] = acc;
        lastFloatingIncomeUpdateDay = yesterday;
        emit UpdateDailyFloatingIncome(yesterday, income, acc);
    }

    function _updatePrevious(uint256 firstDay, uint256 dayCount, uint256[] calldata incomes) internal {
        if (firstDay == 0 || dayCount == 0 || dayCount != incomes.length) revert FloatingIncome__InvalidDays();
        uint256 lastGiven = firstDay + dayCount - 1;
        if (lastGiven >= _today()) revert FloatingIncome__DayNotOver(lastGiven);
        uint256 last = lastFloatingIncomeUpdateDay;
        if (last != 0 && firstDay > last + 1) revert FloatingIncome__DayMissing(last + 1);
        if (lastGiven > last) lastFloatingIncomeUpdateDay = last = lastGiven;
        _restate(firstDay, last, incomes);
    }

    // Sums of days after the restated ones change too. The event contains every day whose sum was written, so that
    // indexers need not compute them.
    function _restate(uint256 firstDay, uint256 lastDay, uint256[] calldata given) private {
        uint256[] memory incomes = new uint256[](lastDay - firstDay + 1);
        uint256[] memory accs = new uint256[](incomes.length);
        uint256 acc = accFloatingIncome[firstDay - 1];
        uint256 oldAcc = acc;
        for (uint256 index = 0; index < incomes.length; ++index) {
            uint256 oldAccOfDay = accFloatingIncome[firstDay + index];
            incomes[index] = index < given.length ? given[index] : oldAccOfDay - oldAcc;
            oldAcc = oldAccOfDay;
            acc += incomes[index];
            accs[index] = acc;
            accFloatingIncome[firstDay + index] = acc;
        }
        emit UpdatePreviousFloatingIncome(firstDay, incomes, accs);
    }

    /// Truncates each of the three terms separately.
    function _floatingIncome(uint256 lent, uint256 end, uint256 principal) internal view returns (uint256 income) {
        uint256 lendDay = lent / 1 days;
        uint256 endDay = end / 1 days;
        uint256 last = lastFloatingIncomeUpdateDay;
        if (last == 0 || last < lendDay) return 0;
        uint256 accLendDay = accFloatingIncome[lendDay];
        uint256 incomeOfLendDay = accLendDay - accFloatingIncome[lendDay - 1];
        // Possible only with a minimum maturity below 1 day. The terms below would overlap.
        if (endDay == lendDay) return incomeOfLendDay * principal * (end - lent) / SCALE;
        bool isEndDayKnown = last >= endDay;
        uint256 accMiddle = accFloatingIncome[isEndDayKnown ? endDay - 1 : last];
        income = incomeOfLendDay * principal * ((lendDay + 1) * 1 days - lent) / SCALE;
        income += (accMiddle - accLendDay) * principal * 1 days / SCALE;
        if (isEndDayKnown) {
            income += (accFloatingIncome[endDay] - accMiddle) * principal * (end - endDay * 1 days) / SCALE;
        }
    }

    function _today() private view returns (uint256) {
        return block.timestamp / 1 days;
    }
}
